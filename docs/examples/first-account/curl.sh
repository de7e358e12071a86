# region open
END_USER=${END_USER:-ada}
curl -sS "$CAUSEWAY_URL/v0/virtual-accounts" \
  -H "Authorization: Bearer $CAUSEWAY_API_KEY" \
  -H "Idempotency-Key: $END_USER-usd-1" \
  -H "Content-Type: application/json" -d @- <<JSON | jq -r '.error.code // .data.status, .data.bankName'
{
  "externalUserId": "$END_USER",
  "source": { "currency": "usd" },
  "destination": {
    "payment_rail": "solana",
    "currency": "usdc",
    "address": "7VHUFJHWu2CuExkJcJrzhQPJ2oygupTWkL2A2For4BmE"
  },
  "developer_fee_percent": "0.5"
}
JSON
# endregion
