# region create
END_USER=${END_USER:-grace}
curl "$CAUSEWAY_URL/v0/end-users" \
  -H "Authorization: Bearer $CAUSEWAY_API_KEY" \
  -H "Content-Type: application/json" -d @- <<JSON
{ "externalUserId": "$END_USER", "type": "individual" }
JSON
# endregion

# region link
curl "$CAUSEWAY_URL/v0/end-users/$END_USER/onboarding-links" \
  -H "Authorization: Bearer $CAUSEWAY_API_KEY" \
  -H "Content-Type: application/json" -d '{
    "rails": ["usd"],
    "redirectUri": "https://app.example.com/onboarded",
    "expiresInHours": 24
  }' |
  jq -r .data.url
# endregion

# region state
curl "$CAUSEWAY_URL/v0/end-users/$END_USER" \
  -H "Authorization: Bearer $CAUSEWAY_API_KEY" |
  jq '.data | {kycStatus, rails, nextAction}'
# endregion
