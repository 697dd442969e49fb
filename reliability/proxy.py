"""A proxy that forwards requests to the service and swallows some answers after the service gave them.

The worst moment for a device: its report is stored, and it does not know.
"""

import asyncio
import random
import threading
from contextlib import suppress
from typing import Self

_GONE = (OSError, asyncio.IncompleteReadError)


class SwallowingProxy:
    """Listens on a port of its own, in a thread.

    Parameters
    ----------
    port
        Of the service.
    share
        Share of the answers that are swallowed; every second of those is cut in the middle instead of left out.
    """

    def __init__(self, port: int, share: float, seed: int = 0) -> None:
        self._target, self._share, self._random = port, share, random.Random(seed)
        self.requests = self.swallowed = 0
        self.port = 0

    def __enter__(self) -> Self:
        self._loop = asyncio.new_event_loop()
        listening = threading.Event()
        self._thread = threading.Thread(target=self._run, args=(listening,))
        self._thread.start()
        listening.wait()
        return self

    def __exit__(self, *_: object) -> None:
        self._loop.call_soon_threadsafe(self._end.set)
        self._thread.join()

    def _run(self, listening: threading.Event) -> None:
        asyncio.set_event_loop(self._loop)
        self._loop.run_until_complete(self._serve(listening))
        for task in asyncio.all_tasks(self._loop):
            task.cancel()
        self._loop.run_until_complete(asyncio.sleep(0.05))
        self._loop.close()

    async def _serve(self, listening: threading.Event) -> None:
        self._end = asyncio.Event()
        server = await asyncio.start_server(self._client, "127.0.0.1", 0)
        self.port = server.sockets[0].getsockname()[1]
        listening.set()
        await self._end.wait()
        server.close()

    async def _client(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        service: asyncio.StreamWriter | None = None
        with suppress(*_GONE, asyncio.CancelledError):
            answers, service = await asyncio.open_connection("127.0.0.1", self._target)
            while True:
                service.write(await _message(reader))
                answer = await _message(answers)
                self.requests += 1
                if self._random.random() < self._share:
                    self.swallowed += 1
                    writer.write(answer[: len(answer) // 2 if self.swallowed % 2 else 0])
                    await writer.drain()
                    break
                writer.write(answer)
                await writer.drain()
        writer.close()
        if service is not None:
            service.close()


async def _message(reader: asyncio.StreamReader) -> bytes:
    head = await reader.readuntil(b"\r\n\r\n")
    length = head.lower().partition(b"content-length:")[2].split(b"\r\n", 1)[0].strip()
    return head + await reader.readexactly(int(length or 0))
