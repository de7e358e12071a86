# region receiver
import os
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from standardwebhooks import Webhook, WebhookVerificationError

webhook = Webhook(os.environ["SIGNING_SECRET"])
seen: set[str] = set()  # in production: a table with a unique key


class Receiver(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))  # the raw bytes, not parsed JSON
        try:
            event = webhook.verify(body, dict(self.headers))
        except WebhookVerificationError:
            print("invalid signature", flush=True)
            self.send_response(401)
        else:
            webhook_id = self.headers["webhook-id"]
            if webhook_id not in seen:
                seen.add(webhook_id)
                print(event["event_type"], flush=True)
            self.send_response(204)
        self.end_headers()

    def log_message(self, *_: object) -> None:
        """Prints events only, not each request."""


ThreadingHTTPServer(("127.0.0.1", int(os.environ.get("PORT", "9000"))), Receiver).serve_forever()
# endregion
