# region create
END_USER=${END_USER:-ada}
curl "$CAUSEWAY_URL/v0/end-users" \
  -H "Authorization: Bearer $CAUSEWAY_API_KEY" \
  -H "Content-Type: application/json" -d @- <<JSON
{ "externalUserId": "$END_USER", "type": "individual" }
JSON
# endregion

# region terms
TOS_LINK=$(curl -X POST \
  "$CAUSEWAY_URL/v0/end-users/$END_USER/tos-link" \
  -H "Authorization: Bearer $CAUSEWAY_API_KEY" |
  jq -r .data.tosLink)
# endregion

# region accept
AGREEMENT=$(curl "$TOS_LINK" \
  -H "Content-Type: application/json" -d '{}' |
  jq -r .signedAgreementId)
# endregion

# region submit
curl "$CAUSEWAY_URL/v0/end-users/$END_USER/submit-kyc" \
  -H "Authorization: Bearer $CAUSEWAY_API_KEY" \
  -H "Content-Type: application/json" -d @- <<JSON
{
  "first_name": "Ada",
  "last_name": "Lovelace",
  "email": "${END_USER}@example.com",
  "birth_date": "1990-12-10",
  "residential_address": {
    "street_line_1": "1 Analytical Way",
    "city": "San Francisco",
    "subdivision": "CA",
    "postal_code": "94105",
    "country": "USA"
  },
  "identifying_information": [
    { "type": "ssn", "issuing_country": "usa", "number": "123-45-6789" }
  ],
  "signed_agreement_id": "$AGREEMENT"
}
JSON
# endregion

# region wait
until curl "$CAUSEWAY_URL/v0/end-users/$END_USER" \
  -H "Authorization: Bearer $CAUSEWAY_API_KEY" |
  grep '"kycStatus":"approved"'; do sleep 1; done
# endregion
