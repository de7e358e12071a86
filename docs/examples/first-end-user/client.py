# region create
import os

import httpx

causeway = httpx.Client(
    base_url=os.environ["CAUSEWAY_URL"],
    headers={"Authorization": f"Bearer {os.environ['CAUSEWAY_API_KEY']}"},
    timeout=30,
)

body = {"externalUserId": os.environ.get("END_USER", "ada"), "type": "individual"}
end_user = causeway.post("/v0/end-users", json=body).raise_for_status().json()["data"]
print(end_user["kycStatus"])
# endregion
