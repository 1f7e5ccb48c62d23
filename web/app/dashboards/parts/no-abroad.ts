/** Fields of an account outside the European Economic Area before anything is typed (AC-09). */
export const noAbroad = { bic: '', street: '', postal_code: '', city: '', country: '' };
