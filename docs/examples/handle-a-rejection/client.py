# region read
import os

import httpx

causeway = httpx.Client(
    base_url=os.environ["CAUSEWAY_URL"],
    headers={"Authorization": f"Bearer {os.environ['CAUSEWAY_API_KEY']}"},
    timeout=30,
)

end_user = os.environ.get("END_USER", "ada")
links = causeway.get(f"/v0/end-users/{end_user}/kyc-links").raise_for_status().json()["data"]
print(links["kycStatus"], links["rejectionReasons"])  # you can show these texts
for error in links["requirements"]["errors"]:
    print(error["requirement"], error["reason"], error["resubmittable"])
print(links["nextAction"])
# endregion

# region correct
if links["nextAction"]["kind"] == "resubmit_kyc":
    correction = {"identifying_information": [{"type": "ssn", "issuing_country": "usa", "number": "123-45-6788"}]}
    causeway.post(f"/v0/end-users/{end_user}/submit-kyc", json=correction).raise_for_status()
# endregion
