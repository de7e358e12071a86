"""From an API key to a reconciled deposit, on a sandbox.

pip install -r requirements.txt
CAUSEWAY_URL=http://127.0.0.1:8080 CAUSEWAY_API_KEY=svc_test_… python first_deposit.py
"""

import os
import queue
import threading
import time
import uuid
from decimal import Decimal
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import httpx
from standardwebhooks import Webhook, WebhookVerificationError

causeway = httpx.Client(
    base_url=os.environ["CAUSEWAY_URL"],
    headers={"Authorization": f"Bearer {os.environ['CAUSEWAY_API_KEY']}"},
    timeout=30,
)
port = int(os.environ.get("RECEIVER_PORT", "9100"))
events: queue.Queue[dict] = queue.Queue()


def call(method: str, path: str, body: dict | None = None) -> dict:
    """Sends a request; a write carries a key, so that it can be repeated safely. Returns the `data` of the answer."""
    headers = {} if method == "GET" else {"Idempotency-Key": str(uuid.uuid4())}
    response = causeway.request(method, path, json=body, headers=headers)
    if response.is_error:
        error = response.json()["error"]
        raise SystemExit(f"{method} {path}: {error['code']}: {error['message']} {error['resolution']}")
    return response.json()["data"]


class Receiver(BaseHTTPRequestHandler):
    """Takes webhooks: verifies the raw bytes, keeps the event, and responds."""

    signing_secret = ""

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        try:
            event = Webhook(self.signing_secret).verify(body, dict(self.headers))
        except WebhookVerificationError:
            self.send_response(401)
        else:
            events.put(event)
            self.send_response(204)
        self.end_headers()

    def log_message(self, *_: object) -> None:
        pass


# An end-user, named by an id of your own.
user = f"grace-{uuid.uuid4().hex[:12]}"
call("POST", "/v0/end-users", {"externalUserId": user})

# The terms. On a sandbox a POST to the link accepts them as the button on its page would.
link = call("POST", f"/v0/end-users/{user}/tos-link")["tosLink"]
agreement = httpx.post(link, json={}).raise_for_status().json()["signedAgreementId"]

# KYC. The sandbox approves after two seconds.
person = {
    "first_name": "Grace",
    "last_name": "Hopper",
    "email": f"{user}@example.com",
    "birth_date": "1986-12-09",
    "residential_address": {
        "street_line_1": "1 Navy Yard",
        "city": "Arlington",
        "subdivision": "VA",
        "postal_code": "22201",
        "country": "USA",
    },
    "identifying_information": [{"type": "ssn", "issuing_country": "usa", "number": "123-45-6789"}],
    "signed_agreement_id": agreement,
}
call("POST", f"/v0/end-users/{user}/submit-kyc", person)
while call("GET", f"/v0/end-users/{user}")["rails"]["usd"] != "active":
    time.sleep(0.25)
print(f"{user} is approved")

# An endpoint, and the receiver that it leads to. The signing secret is shown once.
endpoint = call("POST", "/v0/webhook-endpoints", {"webhookUrl": f"http://127.0.0.1:{port}/webhooks"})
Receiver.signing_secret = endpoint["signingSecret"]
server = ThreadingHTTPServer(("127.0.0.1", port), Receiver)
threading.Thread(target=server.serve_forever, daemon=True).start()

# An account, and a deposit of the sandbox's bank.
wallet = {"payment_rail": "solana", "currency": "usdc", "address": "7VHUFJHWu2CuExkJcJrzhQPJ2oygupTWkL2A2For4BmE"}
account = call(
    "POST",
    "/v0/virtual-accounts",
    {
        "externalUserId": user,
        "source": {"currency": "usd"},
        "destination": wallet,
        "developer_fee_percent": "0.5",
    },
)
print(f"{account['id']} takes dollars at {account['bankName']}: {account['bankAccountNumber']}")
call("POST", "/v0/sandbox/deposits", {"virtualAccountId": account["id"], "amount": "1000.00"})

# The event of the completed deposit. Its `data` is the deposit, whole.
while (event := events.get(timeout=30))["event_type"] != "virtual_account.payment.received":
    print(f"received {event['event_type']}")
deposit = event["data"]
print(f"received {event['event_type']}: {deposit['id']} is {deposit['status']}")

# What was paid in is the fees and what was sent on, to the cent. Amounts are text: read them as decimals, never as floats.
paid_in, our_fee, their_fee, sent_on = (
    Decimal(deposit[name]["value"]) for name in ("grossAmount", "developerFee", "exchangeFee", "netAmount")
)
if paid_in != our_fee + their_fee + sent_on:
    raise SystemExit(f"{paid_in} is not {our_fee} + {their_fee} + {sent_on}")
day = deposit["completedAt"][:10]
sums = call("GET", f"/v0/reports/deposits/sums?day={day}")
if any(difference["id"] == deposit["id"] for difference in sums["differences"]):
    raise SystemExit(f"the report of {day} says that {deposit['id']} does not add up")
print(f"reconciled: {paid_in} in = {our_fee} + {their_fee} fees + {sent_on} out; {day}: {sums['paidIn']}")

call("DELETE", f"/v0/webhook-endpoints/{endpoint['id']}")
server.shutdown()
