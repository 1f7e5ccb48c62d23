import { useMutation, useQuery } from '@tanstack/react-query';
import { Check, CircleSlash, Hourglass, ShieldOff, UserPlus } from 'lucide-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { accountantsQuery, changeAccess, type Accountant } from '#api/people/accountants';
import { secondFactorsQuery } from '#api/people/second-factors';
import { messageOf } from '#api/transport/api-error';
import { Badge } from '#ui/badge';
import { Button } from '#ui/button';
import { Card } from '#ui/card';
import { ConfirmDialog } from '#ui/confirm-dialog';
import { lazyPart } from '#ui/lazy-part';
import { useToast } from '#ui/toast';
import { EmailText } from '../../parts/email-text.tsx';
import { useOnce } from '../../parts/use-once.ts';

const SecondFactorDialog = lazyPart(async () => ({
  default: (await import('../parts/second-factor-dialog.tsx')).SecondFactorDialog,
}));
const InviteAccountantDialog = lazyPart(() => import('./invite-accountant-dialog.tsx'));

/** UI-12: who reads the company's accounting, and how to open or close that access. */
export function Accountants({ className }: { className?: string }) {
  const { t } = useTranslation();
  const { data: accountants } = useQuery(accountantsQuery);
  const { data: withFactor } = useQuery(secondFactorsQuery(accountants?.map(({ id }) => id) ?? []));
  const [isInviting, setInviting] = useState(false);
  const isDialogKnown = useOnce(isInviting);
  const [changing, setChanging] = useState<Accountant>();
  const [unlocking, setUnlocking] = useState<Accountant>();
  return (
    <Card className={className}>
      <div className="flex flex-wrap items-center justify-between gap-x-8 gap-y-4 p-5">
        <div className="min-w-0 grow basis-80">
          <h3 className="text-lg">{t('Accès du comptable')}</h3>
          <p className="mt-0.5 max-w-prose text-sm text-encre-soft">
            {t('Il se connecte, lit et télécharge la comptabilité, les relevés et les pièces. Il ne modifie rien.')}
          </p>
        </div>
        <Button icon={<UserPlus aria-hidden />} onClick={() => setInviting(true)}>
          {t('Inviter mon comptable')}
        </Button>
      </div>
      {Boolean(accountants?.length) && (
        <ul className="divide-y divide-hairline border-t border-hairline">
          {accountants?.map((accountant) => (
            <AccountantLine
              key={accountant.id}
              accountant={accountant}
              onChange={() => setChanging(accountant)}
              onResetSecondFactor={withFactor?.has(accountant.id) ? () => setUnlocking(accountant) : undefined}
            />
          ))}
        </ul>
      )}
      {isDialogKnown && <InviteAccountantDialog open={isInviting} onClose={() => setInviting(false)} />}
      {changing && <AccessDialog accountant={changing} onClose={() => setChanging(undefined)} />}
      {unlocking && <SecondFactorDialog person={unlocking} onClose={() => setUnlocking(undefined)} />}
    </Card>
  );
}

interface AccountantLineProps {
  accountant: Accountant;
  onChange: () => void;
  /** Only where there is a second factor to take away (AU-17). */
  onResetSecondFactor: (() => void) | undefined;
}

/** An accountant with the state of their access, and the ways to change it. */
function AccountantLine({ accountant, onChange, onResetSecondFactor }: AccountantLineProps) {
  const { t } = useTranslation();
  const { fullName, email, hasAccess, hasSignedIn } = accountant;
  return (
    <li className="flex flex-wrap items-center gap-x-4 gap-y-2 px-5 py-3">
      <div className="min-w-0 grow basis-60">
        <p className="font-medium wrap-anywhere">{fullName}</p>
        <p className="text-sm text-encre-soft wrap-anywhere">
          <EmailText email={email} />
        </p>
      </div>
      <Badge
        tone={!hasAccess ? 'neutral' : hasSignedIn ? 'green' : 'amber'}
        icon={
          !hasAccess ? <CircleSlash aria-hidden /> : hasSignedIn ? <Check aria-hidden /> : <Hourglass aria-hidden />
        }
      >
        {!hasAccess ? t('Accès retiré') : hasSignedIn ? t('Accès ouvert') : t('Invité, pas encore venu')}
      </Badge>
      {onResetSecondFactor && (
        <Button
          size="sm"
          variant="quiet"
          icon={<ShieldOff aria-hidden />}
          aria-label={t('Retirer la double authentification de {{name}}', { name: fullName })}
          onClick={onResetSecondFactor}
        >
          {t('Retirer sa double authentification')}
        </Button>
      )}
      <Button
        size="sm"
        variant="quiet"
        aria-label={
          hasAccess
            ? t('Retirer l’accès de {{name}}', { name: fullName })
            : t('Rendre l’accès à {{name}}', { name: fullName })
        }
        onClick={onChange}
      >
        {hasAccess ? t('Retirer l’accès') : t('Rendre l’accès')}
      </Button>
    </li>
  );
}

function AccessDialog({ accountant, onClose }: { accountant: Accountant; onClose: () => void }) {
  const { t } = useTranslation();
  const toast = useToast();
  const { id, fullName: name, hasAccess, hasSignedIn } = accountant;
  const change = useMutation({
    mutationFn: () => changeAccess(hasAccess ? 'withdraw' : 'give_back', id),
    onSuccess: () => {
      toast.success(hasAccess ? t('Accès de {{name}} retiré', { name }) : t('Accès de {{name}} rendu', { name }));
      onClose();
    },
  });
  const consequence = !hasAccess
    ? t('Il pourra de nouveau se connecter, avec son mot de passe.')
    : hasSignedIn
      ? t(
          'Ses appareils sont déconnectés tout de suite et il ne pourra plus se connecter. Vous pourrez lui rendre l’accès.',
        )
      : t('Il n’est pas encore venu : son compte est supprimé et son invitation ne sert plus.');
  return (
    <ConfirmDialog
      open
      onOpenChange={onClose}
      tone={hasAccess ? 'danger' : 'primary'}
      title={hasAccess ? t('Retirer l’accès de {{name}} ?', { name }) : t('Rendre l’accès à {{name}} ?', { name })}
      description={consequence}
      confirmLabel={hasAccess ? t('Retirer l’accès') : t('Rendre l’accès')}
      pending={change.isPending}
      error={change.isError ? messageOf(change.error, t('L’accès n’a pas pu être changé.')) : undefined}
      onConfirm={() => change.mutate()}
    />
  );
}
