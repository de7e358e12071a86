# region retry
import os
import random
import time

import httpx

causeway = httpx.Client(
    base_url=os.environ["CAUSEWAY_URL"],
    headers={"Authorization": f"Bearer {os.environ['CAUSEWAY_API_KEY']}"},
    timeout=60,
)


def write(path, body, key, retries=4):
    for attempt in range(retries + 1):
        wait = random.uniform(0, min(60, 0.5 * 2**attempt))
        try:
            response = causeway.post(path, json=body, headers={"Idempotency-Key": key})
        except httpx.TransportError:
            if attempt == retries:
                raise
        else:
            if response.is_success:
                return response.json()["data"], None
            try:
                error = response.json()["error"]
            except (ValueError, KeyError):  # a proxy sent this response
                error = {"code": "unexpected_response", "retryable": response.status_code >= 500}
            if not error["retryable"] or attempt == retries:
                return None, error
            wait = max(wait, float(response.headers.get("Retry-After", 0)))
        time.sleep(wait)
# endregion


# region handle
end_user = os.environ.get("END_USER", "ada")
wallet = {
    "payment_rail": "solana",
    "currency": "usdc",
    "address": "7VHUFJHWu2CuExkJcJrzhQPJ2oygupTWkL2A2For4BmE",
}
account, error = write(
    "/v0/virtual-accounts",
    {"externalUserId": end_user, "source": {"currency": "usd"}, "destination": wallet},
    key=f"{end_user}-usd-1",
)
if error is None:
    print(account["id"])
elif error["code"] in ("kyc_not_approved", "rail_not_enabled"):
    print("KYC is not complete: show the next action")
else:
    print(error["code"], error.get("resolution"), error.get("requestId"))
# endregion
