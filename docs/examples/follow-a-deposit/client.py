# region send
import os
import time

import httpx

causeway = httpx.Client(
    base_url=os.environ["CAUSEWAY_URL"],
    headers={"Authorization": f"Bearer {os.environ['CAUSEWAY_API_KEY']}"},
    timeout=30,
)

account_id = os.environ.get("ACCOUNT_ID", "va_…")
sent = causeway.post("/v0/sandbox/deposits", json={"virtualAccountId": account_id, "amount": "1000.00"})
deposit_id = sent.raise_for_status().json()["data"]["id"]
# endregion

# region wait
path = f"/v0/virtual-accounts/{account_id}/deposits?status=completed"
while not causeway.get(path).raise_for_status().json()["data"]:
    time.sleep(1)
# endregion

# region read
deposit = causeway.get(f"/v0/deposits/{deposit_id}").raise_for_status().json()["data"]
print(deposit["status"], deposit["grossAmount"], deposit["netAmount"], deposit["timeline"])
# endregion

# region list
while path:
    page = causeway.get(path).raise_for_status()
    for deposit in page.json()["data"]:
        print(deposit["id"], deposit["netAmount"])
    path = page.links.get("next", {}).get("url")
# endregion
