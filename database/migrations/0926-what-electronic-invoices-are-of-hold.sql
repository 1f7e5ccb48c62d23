-- EI-02, OP-03: the constraints of the file before hold for all that there is.
alter table private.received_invoice_statuses validate constraint received_invoice_statuses_state_is_known,
  validate constraint received_invoice_statuses_deposited_has_a_flow;
alter table private.received_invoices validate constraint received_invoices_by_rule_are_aside;
alter table private.alarms validate constraint alarms_kind_is_known;
