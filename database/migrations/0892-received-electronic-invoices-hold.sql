-- EI-02: the constraint of the file before holds for all that there is.
alter table private.payee_invoice_files validate constraint payee_invoice_files_are_invoices;
