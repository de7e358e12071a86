# region requirements
curl "$CAUSEWAY_URL/v0/kyc-requirements?country=USA&type=business" \
  -H "Authorization: Bearer $CAUSEWAY_API_KEY"
# endregion

# region create
END_USER=${END_USER:-engines}
curl "$CAUSEWAY_URL/v0/end-users" \
  -H "Authorization: Bearer $CAUSEWAY_API_KEY" \
  -H "Content-Type: application/json" -d @- <<JSON
{ "externalUserId": "$END_USER", "type": "business" }
JSON
# endregion

TOS_LINK=$(curl -X POST "$CAUSEWAY_URL/v0/end-users/$END_USER/tos-link" -H "Authorization: Bearer $CAUSEWAY_API_KEY" | jq -r .data.tosLink)
AGREEMENT=$(curl "$TOS_LINK" -H "Content-Type: application/json" -d '{}' | jq -r .signedAgreementId)

# region submit
jq --arg email "${END_USER}@example.com" --arg agreement "$AGREEMENT" \
  '. + {email: $email, signed_agreement_id: $agreement}' \
  company.json >submission.json
curl "$CAUSEWAY_URL/v0/end-users/$END_USER/submit-kyc" \
  -H "Authorization: Bearer $CAUSEWAY_API_KEY" \
  -F 'data=@submission.json;type=application/json' \
  -F 'documents[0].file=@formation.png;type=image/png'
# endregion

# region people
curl "$CAUSEWAY_URL/v0/end-users/$END_USER/kyc-links" \
  -H "Authorization: Bearer $CAUSEWAY_API_KEY"
# endregion
