# region requirements
import json
import os

import httpx

causeway = httpx.Client(
    base_url=os.environ["CAUSEWAY_URL"],
    headers={"Authorization": f"Bearer {os.environ['CAUSEWAY_API_KEY']}"},
    timeout=30,
)

needed = causeway.get("/v0/kyc-requirements", params={"country": "USA", "type": "business"}).raise_for_status()
print(needed.json()["data"]["documents"]["requiredPurposes"])
# endregion

# region create
end_user = os.environ.get("END_USER", "engines")  # your own id
causeway.post("/v0/end-users", json={"externalUserId": end_user, "type": "business"}).raise_for_status()
# endregion

link = causeway.post(f"/v0/end-users/{end_user}/tos-link").raise_for_status().json()["data"]["tosLink"]
agreement = httpx.post(link, json={}).raise_for_status().json()["signedAgreementId"]

# region submit
with open("company.json") as file:
    company = json.load(file) | {"email": f"{end_user}@example.com", "signed_agreement_id": agreement}
with open("formation.png", "rb") as paper:
    parts = {
        "data": (None, json.dumps(company), "application/json"),
        "documents[0].file": ("formation.png", paper, "image/png"),
    }
    causeway.post(f"/v0/end-users/{end_user}/submit-kyc", files=parts).raise_for_status()
# endregion

# region people
links = causeway.get(f"/v0/end-users/{end_user}/kyc-links").raise_for_status().json()["data"]
print(links["nextAction"]["kind"], links["associatedPersons"])
# endregion
