import { accountingCodePattern } from '@parrain/domain/accounting';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useDeferredValue, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { accountingCodesQuery, setAccountingCode, type AccountingCode } from '#api/payments/accounting';
import { messageOf } from '#api/transport/api-error';
import { Button } from '#ui/button';
import { Dialog } from '#ui/dialog';
import { Field } from '#ui/field';
import { SearchInput } from '#ui/search-input';
import { TextInput } from '#ui/text-input';
import { useToast } from '#ui/toast';

/** AC-02: the code that each payee has in the accountant's own books. */
export default function AccountingCodesDialog({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation();
  const [search, setSearch] = useState('');
  const { data } = useQuery(accountingCodesQuery(useDeferredValue(search.trim())));
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title={t('Codes des bénéficiaires')}
      description={t(
        'Le compte auxiliaire de chacun dans votre logiciel de comptabilité. Sans code choisi, le journal écrit le début de son identifiant.',
      )}
      footer={<Button onClick={onClose}>{t('Fermer')}</Button>}
    >
      <SearchInput label={t('Rechercher un bénéficiaire')} value={search} onValueChange={setSearch} />
      <ul aria-label={t('Codes des bénéficiaires')} className="mt-3 divide-y divide-hairline">
        {data?.map((payee) => (
          <li key={payee.payee_id} className="py-3">
            <Code payee={payee} />
          </li>
        ))}
      </ul>
      {data?.length === 0 && (
        <p className="mt-3 text-encre-soft">
          {search === ''
            ? t('Personne n’a encore de compte : le premier contrat validé en ouvre un.')
            : t('Aucun bénéficiaire à ce nom.')}
        </p>
      )}
      {data?.length === 50 && (
        <p className="mt-3 text-sm text-encre-soft">
          {t('Les 50 premiers : cherchez un nom pour trouver les autres.')}
        </p>
      )}
    </Dialog>
  );
}

function Code({ payee }: { payee: AccountingCode }) {
  const { t } = useTranslation();
  const toast = useToast();
  const [typed, setTyped] = useState(payee.code);
  const code = typed.trim().toUpperCase();
  const isOne = code === '' || accountingCodePattern.test(code);
  const save = useMutation({
    mutationFn: () => setAccountingCode(payee.payee_id, code === '' ? null : code),
    onSuccess: () => toast.success(t('Code enregistré')),
  });
  const error = isOne
    ? save.isError
      ? messageOf(save.error, t('Le code n’a pas pu être enregistré.'))
      : undefined
    : t('Un code a 1 à 17 lettres ou chiffres.');
  return (
    <form
      method="post"
      className="flex flex-wrap items-end gap-3"
      onSubmit={(event) => {
        event.preventDefault();
        if (isOne) save.mutate();
      }}
    >
      <Field label={`${payee.name} · ${payee.email}`} error={error} className="min-w-0 grow basis-44">
        <TextInput
          value={typed}
          onChange={(event) => {
            save.reset();
            setTyped(event.currentTarget.value);
          }}
        />
      </Field>
      <Button type="submit" size="sm" disabled={code === payee.code} pending={save.isPending}>
        {t('Enregistrer')}
      </Button>
    </form>
  );
}
