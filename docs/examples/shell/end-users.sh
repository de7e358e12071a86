# region prefix
curl "$CAUSEWAY_URL/v0/end-users?q=ada" \
  -H "Authorization: Bearer $CAUSEWAY_API_KEY"
# endregion

# region label
curl -g "$CAUSEWAY_URL/v0/end-users?metadata[plan]=gold" \
  -H "Authorization: Bearer $CAUSEWAY_API_KEY"
# endregion

# region files
END_USER=${END_USER:-ada}
curl "$CAUSEWAY_URL/v0/end-users/$END_USER/submit-kyc" \
  -H "Authorization: Bearer $CAUSEWAY_API_KEY" \
  -F 'data=@kyc.json;type=application/json' \
  -F 'identifying_information[0].image_front=@passport.png;type=image/png'
# endregion

# region information-requests
curl "$CAUSEWAY_URL/v0/information-requests?state=action_required" \
  -H "Authorization: Bearer $CAUSEWAY_API_KEY"
# endregion
