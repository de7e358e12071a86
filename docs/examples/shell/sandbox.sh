# region verdict
curl "$CAUSEWAY_URL/v0/sandbox/kyc-decisions" \
  -H "Authorization: Bearer $CAUSEWAY_API_KEY" \
  -H "Content-Type: application/json" -d @- <<JSON
{ "externalUserId": "$END_USER", "decision": "review" }
JSON
# endregion

# region deposit
curl "$CAUSEWAY_URL/v0/sandbox/deposits" \
  -H "Authorization: Bearer $CAUSEWAY_API_KEY" \
  -H "Content-Type: application/json" -d @- <<JSON
{ "virtualAccountId": "$ACCOUNT_ID", "amount": "100.00", "outcome": "refunded" }
JSON
# endregion

# region terms
curl "$TOS_LINK" -H "Content-Type: application/json" -d '{}' # answers signedAgreementId
# endregion

# region faults
SANDBOX_URL=${SANDBOX_URL:-http://127.0.0.1:8081}
curl "$SANDBOX_URL/_sandbox/faults" -H "Content-Type: application/json" -d '{
  "method": "POST", "path": "^/v0/customers$", "mode": "cut_after", "times": 1
}'
curl -X DELETE "$SANDBOX_URL/_sandbox/faults" # ends all faults
# endregion

# region behaviour
curl "$SANDBOX_URL/_sandbox/behaviour" -H "Content-Type: application/json" \
  -d '{ "tos_second_origin": true }'
# endregion

# region clock
curl "$CAUSEWAY_URL/v0/sandbox/clock" \
  -H "Authorization: Bearer $CAUSEWAY_API_KEY" \
  -H "Content-Type: application/json" -d '{ "advanceSeconds": 86400 }'
# endregion

# region inbox
curl -X PUT "$SANDBOX_URL/inbox/orders/settings" -H "Content-Type: application/json" \
  -d '{ "secrets": ["whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"] }'
# endregion

# region information-request
curl "$CAUSEWAY_URL/v0/sandbox/information-requests" \
  -H "Authorization: Bearer $CAUSEWAY_API_KEY" \
  -H "Content-Type: application/json" -d @- <<JSON
{ "externalUserId": "$END_USER" }
JSON
# endregion
