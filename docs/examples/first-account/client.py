# region open
import os

import httpx

causeway = httpx.Client(
    base_url=os.environ["CAUSEWAY_URL"],
    headers={"Authorization": f"Bearer {os.environ['CAUSEWAY_API_KEY']}"},
    timeout=30,
)

end_user = os.environ.get("END_USER", "ada")
body = {
    "externalUserId": end_user,
    "source": {"currency": "usd"},
    "destination": {
        "payment_rail": "solana",
        "currency": "usdc",
        "address": "7VHUFJHWu2CuExkJcJrzhQPJ2oygupTWkL2A2For4BmE",
    },
    "developer_fee_percent": "0.5",
}
headers = {"Idempotency-Key": f"{end_user}-usd-1"}
response = causeway.post("/v0/virtual-accounts", json=body, headers=headers)
account = response.raise_for_status().json()["data"]
print(account["status"], account["bankName"])
# endregion
