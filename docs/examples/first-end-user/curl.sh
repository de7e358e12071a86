# region create
END_USER=${END_USER:-ada}
curl -sS "$CAUSEWAY_URL/v0/end-users" \
  -H "Authorization: Bearer $CAUSEWAY_API_KEY" \
  -H "Content-Type: application/json" -d @- <<JSON | jq -r '.data.kycStatus // .error.code'
{ "externalUserId": "$END_USER", "type": "individual" }
JSON
# endregion
