# region whoami
curl "$CAUSEWAY_URL/v0/whoami" \
  -H "Authorization: Bearer $CAUSEWAY_API_KEY"
# endregion

# region failed
curl "$CAUSEWAY_URL/v0/requests?status=4xx&path=/v0/end-users/:externalUserId" \
  -H "Authorization: Bearer $CAUSEWAY_API_KEY"
# endregion

# region console
curl "$CAUSEWAY_URL/v0/console-links" \
  -H "Authorization: Bearer $CAUSEWAY_API_KEY" \
  -H "Content-Type: application/json" -d '{
    "scopes": ["end_users:read", "events:read"],
    "expiresInMinutes": 10
  }'
# endregion

# region audit
curl "$CAUSEWAY_URL/v0/audit-log?action=api_key.created" \
  -H "Authorization: Bearer $CAUSEWAY_API_KEY"
# endregion

# region issue
KEY_ID=$(curl "$CAUSEWAY_URL/v0/api-keys" \
  -H "Authorization: Bearer $CAUSEWAY_API_KEY" \
  -H "Content-Type: application/json" -d '{ "name": "Backend" }' |
  jq -r .data.id)
# endregion

# region roll
curl "$CAUSEWAY_URL/v0/api-keys/$KEY_ID/roll" \
  -H "Authorization: Bearer $CAUSEWAY_API_KEY" \
  -H "Content-Type: application/json" -d '{ "expiresInHours": 24 }'
# endregion
