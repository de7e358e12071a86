# region choose
import os

import httpx

causeway = httpx.Client(
    base_url=os.environ["CAUSEWAY_URL"],
    headers={"Authorization": f"Bearer {os.environ['CAUSEWAY_API_KEY']}"},
    timeout=30,
)

capabilities = causeway.get("/v0/capabilities").raise_for_status().json()["data"]
print(capabilities["source"], capabilities["destination"])
# endregion

# region open
end_user = os.environ.get("END_USER", "ada")
wallet = {
    "payment_rail": "solana",
    "currency": "usdc",
    "address": "7VHUFJHWu2CuExkJcJrzhQPJ2oygupTWkL2A2For4BmE",
}
account = causeway.post(
    "/v0/virtual-accounts",
    json={
        "externalUserId": end_user,
        "source": {"currency": "usd"},
        "destination": wallet,
        "developer_fee_percent": "0.5",
    },
    headers={"Idempotency-Key": f"{end_user}-usd-1"},
).raise_for_status().json()["data"]
# endregion

# region read
account = causeway.get(f"/v0/virtual-accounts/{account['id']}").raise_for_status().json()["data"]
print(account["status"], account["bankName"], account["bankAccountNumber"])
# endregion
