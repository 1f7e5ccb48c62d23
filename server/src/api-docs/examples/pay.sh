curl --silent --show-error --fail-with-body \
  "$PARRAIN_URL/functions/v1/payment-request?action=update_status" \
  --header "Authorization: Bearer $PARRAIN_KEY" \
  --header "Content-Type: application/json" \
  --header "Idempotency-Key: paiement-$REQUEST_ID-$VERSION" \
  --data "{\"request_id\":\"$REQUEST_ID\",\"status\":\"paid\",\"seen_version\":$VERSION,\"expected_amount\":\"$AMOUNT\"}"
