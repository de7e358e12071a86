# region create
import os
import time

import httpx

causeway = httpx.Client(
    base_url=os.environ["CAUSEWAY_URL"],
    headers={"Authorization": f"Bearer {os.environ['CAUSEWAY_API_KEY']}"},
    timeout=30,
)

end_user = os.environ.get("END_USER", "ada")  # your own id
causeway.post("/v0/end-users", json={"externalUserId": end_user, "type": "individual"}).raise_for_status()
# endregion

# region terms
link = causeway.post(f"/v0/end-users/{end_user}/tos-link").raise_for_status().json()["data"]["tosLink"]
# endregion

# region accept
agreement = httpx.post(link, json={}).raise_for_status().json()["signedAgreementId"]
# endregion

# region submit
person = {
    "first_name": "Ada",
    "last_name": "Lovelace",
    "email": f"{end_user}@example.com",
    "birth_date": "1990-12-10",
    "residential_address": {
        "street_line_1": "1 Analytical Way",
        "city": "San Francisco",
        "subdivision": "CA",
        "postal_code": "94105",
        "country": "USA",
    },
    "identifying_information": [{"type": "ssn", "issuing_country": "usa", "number": "123-45-6789"}],
    "signed_agreement_id": agreement,
}
causeway.post(f"/v0/end-users/{end_user}/submit-kyc", json=person).raise_for_status()
# endregion

# region wait
while True:
    state = causeway.get(f"/v0/end-users/{end_user}").raise_for_status().json()["data"]
    if state["kycStatus"] == "approved":
        break
    time.sleep(1)
print(state["rails"])
# endregion
