# region create
import os

import httpx

causeway = httpx.Client(
    base_url=os.environ["CAUSEWAY_URL"],
    headers={"Authorization": f"Bearer {os.environ['CAUSEWAY_API_KEY']}"},
    timeout=30,
)

end_user = os.environ.get("END_USER", "grace")  # your own id
causeway.post("/v0/end-users", json={"externalUserId": end_user, "type": "individual"}).raise_for_status()
# endregion

# region link
body = {"rails": ["usd"], "redirectUri": "https://app.example.com/onboarded", "expiresInHours": 24}
created = causeway.post(f"/v0/end-users/{end_user}/onboarding-links", json=body)
print(created.raise_for_status().json()["data"]["url"])
# endregion

# region state
state = causeway.get(f"/v0/end-users/{end_user}").raise_for_status().json()["data"]
print(state["kycStatus"], state["rails"], state["nextAction"])
# endregion
