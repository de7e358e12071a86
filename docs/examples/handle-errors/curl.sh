# region retry
# --retry repeats 408, 429, 500, 502, 503 and 504 with backoff, and follows Retry-After.
open_account() {
  curl --retry 4 --retry-connrefused --max-time 60 --fail-with-body \
    "$CAUSEWAY_URL/v0/virtual-accounts" \
    -H "Authorization: Bearer $CAUSEWAY_API_KEY" \
    -H "Idempotency-Key: $END_USER-usd-1" \
    -H "Content-Type: application/json" -d @- <<JSON
{
  "externalUserId": "$END_USER",
  "source": { "currency": "usd" },
  "destination": {
    "payment_rail": "solana",
    "currency": "usdc",
    "address": "7VHUFJHWu2CuExkJcJrzhQPJ2oygupTWkL2A2For4BmE"
  }
}
JSON
}
# endregion

# region handle
if RESPONSE=$(open_account); then
  jq -r .data.id <<<"$RESPONSE"
else
  case $(jq -r .error.code <<<"$RESPONSE") in
    kyc_not_approved | rail_not_enabled) echo "KYC is not complete: show the next action" ;;
    *) jq -r '.error | "\(.code): \(.resolution) Request \(.requestId)"' <<<"$RESPONSE" ;;
  esac
fi
# endregion
