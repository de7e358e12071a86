# region read
END_USER=${END_USER:-ada}
curl "$CAUSEWAY_URL/v0/end-users/$END_USER/kyc-links" \
  -H "Authorization: Bearer $CAUSEWAY_API_KEY" |
  jq '.data | {kycStatus, rejectionReasons, requirements, nextAction}'
# endregion

# region correct
curl "$CAUSEWAY_URL/v0/end-users/$END_USER/submit-kyc" \
  -H "Authorization: Bearer $CAUSEWAY_API_KEY" \
  -H "Content-Type: application/json" -d '{
    "identifying_information": [
      { "type": "ssn", "issuing_country": "usa", "number": "123-45-6788" }
    ]
  }'
# endregion
