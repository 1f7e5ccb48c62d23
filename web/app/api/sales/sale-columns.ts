import { saleRow, saleToDomain } from '@parrain/domain/wire';
import type { Sale } from '@parrain/domain/sale';

/** The columns of a sale that everyone who may see it is shown: all but the commercial's own notes. */
export const saleColumns =
  'id,created_at,status,referred_contact_name,referred_contact_email,referred_contact_phone,personal_message,' +
  'contract_amount,contract_description,commercial_id,client_referrer_id,friend_referrer_id,commission_rate,' +
  'ready_for_validation,admin_validated,rejection_reason,validated_at,validated_by,client_commission_amount,' +
  'commercial_commission_amount,client_commission_type,client_commission_rate,commercial_commission_type,' +
  'commercial_commission_rate,corrects_sale_id,correction_reason,contract_left,version,is_test';

/** The people of a sale, by the names `saleRow` reads. */
export const saleCommercial = 'commercial:profiles!commercial_id(full_name)';
export const saleReferrers =
  'client_referrer:profiles!client_referrer_id(full_name),friend_referrer:profiles!friend_referrer_id(full_name)';

/** A row as the REST layer gave it, in the domain's words; throws where it is not a sale. */
export function toSale(row: unknown): Sale {
  return saleToDomain(saleRow.parse(row));
}
