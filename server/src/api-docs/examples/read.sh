curl --silent --show-error --fail-with-body \
  "$PARRAIN_URL/rest/v1/sales?select=id,status,contract_amount&order=created_at.desc&limit=20" \
  --header "Authorization: Bearer $PARRAIN_KEY"
