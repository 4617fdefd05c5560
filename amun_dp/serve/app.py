"""Addresses and what answers at them. Thin: the desk decides, sections draw, places say what may be read."""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import tempfile
import zipfile
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import IO, Any
from urllib.parse import quote

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.requests import ClientDisconnect, Request
from starlette.responses import FileResponse, HTMLResponse, JSONResponse, PlainTextResponse, Response, StreamingResponse
from starlette.routing import Mount, Route
from starlette.types import ASGIApp

from amun_dp.errors import AmunError, InputError, OutputError
from amun_dp.folder.names import INTERNAL_FOLDER, LOG_FILES, PAGE_FILE, REPORT_FILE
from amun_dp.serve.as_fields import in_fields
from amun_dp.serve.guard import REPORT_POLICY, Guard, Keys
from amun_dp.serve.jobs import Job
from amun_dp.serve.paths import is_there
from amun_dp.serve.sections import FOR_AUDITORS, SECTIONS, render_page, render_progress, render_section, static
from amun_dp.serve.state import REFRESHED, Desk

LARGEST_FORM = 100_000
_PIECE = 1 << 18
PUBLIC_FILES = (*sorted(LOG_FILES), PAGE_FILE, REPORT_FILE)
_TYPES = {"page.css": "text/css", "page.js": "text/javascript"}

Answer = Callable[[Request], Awaitable[Response]]


def build_app(desk: Desk, keys: Keys) -> ASGIApp:
    """The page for one desk."""
    page = _Page(desk)

    @asynccontextmanager
    async def running(_app: Starlette) -> AsyncIterator[None]:
        work = asyncio.create_task(desk.jobs.work())
        try:
            yield
        finally:
            work.cancel()
            with suppress(asyncio.CancelledError):
                await work

    routes = [
        Route("/", page.whole),
        Route("/static/{name}", page.static),
        Route("/section/{name}", page.section),
        Route("/job/{number}", page.job),
        Route("/report", page.report),
        Route("/file", page.file),
        Route("/zip", page.archive),
        Route("/upload", page.upload, methods=["PUT"]),
        Route("/verify", page.asks(desk.verify), methods=["POST"]),
        Route("/cancel", page.cancel, methods=["POST"]),
    ]
    if not desk.read_only:
        routes += [
            Route("/log", page.asks(desk.choose_log), methods=["POST"]),
            Route("/plan", page.asks(desk.plan), methods=["POST"]),
            Route("/declare", page.asks(desk.declare), methods=["POST"]),
            Route("/sweep", page.asks(lambda _data: desk.sweep()), methods=["POST"]),
            Route("/release", page.asks(desk.release), methods=["POST"]),
            Route("/internal", page.internal),
        ]
    # Outside of everything else, so that also what the framework answers by itself passes through it.
    return Guard(Starlette(routes=[Mount(keys.path.rstrip("/"), routes=routes)], lifespan=running), keys)


class _Page:
    def __init__(self, desk: Desk) -> None:
        self._desk = desk

    # --- what is shown -----------------------------------------------------------------------------------------------

    async def whole(self, _request: Request) -> Response:
        listing = await run_in_threadpool(self._desk.places.find)
        return HTMLResponse(await run_in_threadpool(render_page, self._desk, listing))

    async def section(self, request: Request) -> Response:
        name = request.path_params["name"]
        if name not in (FOR_AUDITORS if self._desk.read_only else SECTIONS):
            return PlainTextResponse("There is no such part.\n", 404)
        listing = await run_in_threadpool(self._desk.places.find)
        return HTMLResponse(await run_in_threadpool(render_section, name, self._desk, listing))

    async def static(self, request: Request) -> Response:
        name = request.path_params["name"]
        if name not in _TYPES:
            return PlainTextResponse("There is no such file.\n", 404)
        return Response(static(name), media_type=_TYPES[name])

    async def job(self, request: Request) -> Response:
        number = request.path_params["number"]
        known = number.isascii() and number.isdigit() and len(number) < 10
        found = self._desk.jobs.find(int(number)) if known else None
        if found is None:
            return JSONResponse({"problem": "That job is gone."}, 404)
        return JSONResponse(self._told(found))

    def _told(self, job: Job) -> dict[str, Any]:
        return {
            "id": job.id,
            "task": job.task,
            "state": job.state,
            "finished": job.finished,
            "html": self._progress(job),
            "refresh": list(FOR_AUDITORS if self._desk.read_only else REFRESHED[job.task]) if job.finished else [],
            "message": job.message,
        }

    def _progress(self, job: Job) -> str:
        jobs = self._desk.jobs
        return render_progress(job, jobs.ahead_of(job), None if jobs.running is job else jobs.running)

    # --- what is asked for -------------------------------------------------------------------------------------------

    def asks(self, submit: Callable[[dict[str, Any]], Job]) -> Answer:
        """A form that starts a job."""

        async def answer(request: Request) -> Response:
            try:
                return JSONResponse(self._told(submit(await _form(request))))
            except AmunError as error:
                return _problem(in_fields(error.message))

        return answer

    async def cancel(self, request: Request) -> Response:
        try:
            number = (await _form(request)).get("job")
        except AmunError as error:
            return _problem(in_fields(error.message))
        found = self._desk.jobs.find(number) if isinstance(number, int) else None
        if found is None:
            return _problem("That job is gone.")
        self._desk.jobs.cancel(found)
        return JSONResponse(self._told(found))

    async def upload(self, request: Request) -> Response:
        """A file that was dropped on the page, streamed to the private place. Nobody looks into it here."""
        desk, shown = self._desk, request.query_params.get("name", "")[:200]
        try:
            if desk.read_only and not shown.lower().endswith(".zip"):
                raise InputError("This page only verifies: drop a release as a .zip archive.")
            key, target = desk.places.room_for_upload(shown)
            try:
                await _stream(request, target, desk.largest_upload)
            except BaseException:
                await run_in_threadpool(shutil.rmtree, target.parent, ignore_errors=True)
                raise
        except ClientDisconnect:
            return _problem("The upload was broken off.")
        except AmunError as error:
            return _problem(in_fields(error.message), 413 if "larger" in error.message else 422)
        except OSError as error:
            return _problem(f"The file could not be kept: {os.strerror(error.errno or 0)}.", 507)
        desk.upload_names[key] = shown
        return JSONResponse({"key": key, "name": shown})

    # --- files of a release ------------------------------------------------------------------------------------------

    async def report(self, request: Request) -> Response:
        """The public page of a release, as an inline frame. Whoever wrote it, it can do nothing here."""
        return self._page_of(request, PAGE_FILE)

    async def internal(self, request: Request) -> Response:
        """The confidential page, for whoever insisted."""
        return self._page_of(request, f"{INTERNAL_FOLDER}/{PAGE_FILE}")

    def _page_of(self, request: Request, name: str) -> Response:
        try:
            path = _file_in(self._desk.places.release(request.query_params.get("release", "")), name)
        except AmunError as error:
            return PlainTextResponse(f"{in_fields(error.message)}\n", 404)
        return FileResponse(path, media_type="text/html", headers={"content-security-policy": REPORT_POLICY})

    async def file(self, request: Request) -> Response:
        name = request.query_params.get("name", "")
        try:
            if name not in PUBLIC_FILES:
                raise InputError("A release has no public file of that name.")
            path = _file_in(self._desk.places.release(request.query_params.get("release", "")), name)
        except AmunError as error:
            return PlainTextResponse(f"{in_fields(error.message)}\n", 404)
        return FileResponse(path, filename=name, media_type="application/octet-stream")

    async def archive(self, request: Request) -> Response:
        """The public files in one archive. Never the internal folder."""
        release = request.query_params.get("release", "")
        try:
            folder = self._desk.places.release(release)
            packed = await run_in_threadpool(_pack, folder, self._desk.places.private)
        except AmunError as error:
            return PlainTextResponse(f"{in_fields(error.message)}\n", 404)
        name = "release.zip" if release.startswith("upload:") else f"{Path(release).name}.zip"
        headers = {
            "content-disposition": f"attachment; filename*=utf-8''{quote(name)}",
            "content-length": str(os.fstat(packed.fileno()).st_size),
        }
        return StreamingResponse(_pieces(packed), media_type="application/zip", headers=headers)


async def _form(request: Request) -> dict[str, Any]:
    """What a form says, as JSON: another site cannot send that without asking first, and is refused when it does."""
    if request.headers.get("content-type", "").partition(";")[0] != "application/json":
        raise InputError("A form is sent as JSON.")
    body = b""
    async for chunk in request.stream():
        body += chunk
        if len(body) > LARGEST_FORM:
            raise InputError("The form is too large.")
    try:
        data = json.loads(body)
    except (ValueError, RecursionError):
        raise InputError("The form is no JSON.") from None
    if not isinstance(data, dict):
        raise InputError("The form is no JSON object.")
    return data


async def _stream(request: Request, target: Path, largest: int) -> None:
    too_large = OutputError(
        f"The file is larger than the page takes ({largest:,} bytes). Whoever starts the page sets this limit."
    )
    length = request.headers.get("content-length", "0")
    if not length.isdigit() or int(length) > largest:
        raise too_large
    received = 0
    with target.open("xb") as written:
        async for chunk in request.stream():
            received += len(chunk)
            if received > largest:
                raise too_large
            written.write(chunk)


def _file_in(folder: Path, name: str) -> Path:
    """A file of the release; a link to somewhere else is none."""
    path = folder / name
    if not (is_there(path) and path.is_file()) or Path(os.path.realpath(path)) != Path(os.path.realpath(folder)) / name:
        raise InputError("The release has no such file.")
    return path


def _pack(folder: Path, private: Path) -> IO[bytes]:
    """The archive in a file without a name: each download has its own, and none is left behind."""
    packed = tempfile.TemporaryFile(dir=private)  # noqa: SIM115 — closed by whoever sends it
    try:
        with zipfile.ZipFile(packed, "w") as archive:
            for name in PUBLIC_FILES:
                if (folder / name).is_file():
                    # Logs are compressed already, or it is not worth the time.
                    kind = zipfile.ZIP_STORED if name in LOG_FILES and name != "log.csv" else zipfile.ZIP_DEFLATED
                    archive.write(_file_in(folder, name), name, kind)
        packed.seek(0)
    except BaseException as error:
        packed.close()
        if isinstance(error, OSError):
            raise OutputError(f"The archive could not be made: {error.strerror}.") from error
        raise
    return packed


async def _pieces(packed: IO[bytes]) -> AsyncIterator[bytes]:
    with packed:
        while piece := await run_in_threadpool(packed.read, _PIECE):
            yield piece


def _problem(message: str, status: int = 422) -> Response:
    return JSONResponse({"problem": message}, status)
