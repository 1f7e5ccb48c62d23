import { useMutation, useQuery } from '@tanstack/react-query';
import { AtSign, Link2, Unlink } from 'lucide-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { messageOf } from '#api/transport/api-error';
import { ownAccountQuery, unlinkIdentity, type OwnIdentity } from '#api/account/own-account';
import { queryClient } from '#api/transport/query-client';
import { providerName } from '#api/account/provider-name';
import { linkProvider } from '#api/account/providers';
import { signInWaysQuery } from '#api/account/sign-in-ways';
import { Button } from '#ui/button';
import { Card, CardBody, CardHeader } from '#ui/card';
import { ConfirmDialog } from '#ui/confirm-dialog';
import { DateText } from '#ui/date';
import { Notice } from '#ui/notice';
import { useToast } from '#ui/toast';
import { Line } from './line.tsx';

/** « Comptes liés »: who else vouches for the person (AU-16). Shown where there is something to see or to link. */
export function IdentitiesCard() {
  const { t } = useTranslation();
  const toast = useToast();
  const { data: account } = useQuery(ownAccountQuery);
  const { data: ways } = useQuery(signInWaysQuery);
  const [leaving, setLeaving] = useState<OwnIdentity>();
  const linking = useMutation({ mutationFn: linkProvider });
  const identities = account?.identities ?? [];
  const linked = new Set(identities.map((identity) => identity.provider));
  const isFree = ways?.linking === true;
  const linkable = isFree ? ways.providers.filter((provider) => !linked.has(provider)) : [];
  if (account === undefined || (linkable.length === 0 && identities.every(({ provider }) => provider === 'email')))
    return null;
  return (
    <Card>
      <CardHeader title={t('Comptes liés')} level={4} />
      <CardBody className="flex flex-col gap-4">
        <p className="text-encre-soft">{t('Vous pouvez vous connecter avec chacun d’eux.')}</p>
        {linking.isError && (
          <Notice tone="error">{messageOf(linking.error, t('Le compte n’a pas pu être lié. Réessayez.'))}</Notice>
        )}
        <ul className="divide-y divide-hairline border-y border-hairline">
          {identities.map((identity) => (
            <Line
              key={identity.identity.identity_id}
              icon={identity.provider === 'email' ? <AtSign /> : <Link2 />}
              title={providerName(identity.provider)}
              detail={
                identity.email ?? (
                  <>
                    {t('Lié le')} <DateText value={identity.createdAt} />
                  </>
                )
              }
              actions={
                isFree &&
                identity.provider !== 'email' &&
                identities.length > 1 && (
                  <Button
                    size="sm"
                    icon={<Unlink aria-hidden />}
                    aria-label={t('Délier {{name}}', { name: providerName(identity.provider) })}
                    onClick={() => setLeaving(identity)}
                  >
                    {t('Délier')}
                  </Button>
                )
              }
            />
          ))}
        </ul>
        {linkable.length > 0 && (
          <div className="flex flex-wrap gap-2">
            {linkable.map((provider) => (
              <Button
                key={provider}
                icon={<Link2 aria-hidden />}
                pending={linking.isPending && linking.variables === provider}
                onClick={() => linking.mutate(provider)}
              >
                {t('Lier {{name}}', { name: providerName(provider) })}
              </Button>
            ))}
          </div>
        )}
      </CardBody>
      {leaving && (
        <UnlinkDialog
          identity={leaving}
          onClose={() => setLeaving(undefined)}
          onDone={() => {
            toast.success(t('Compte délié'));
            setLeaving(undefined);
            void queryClient.invalidateQueries({ queryKey: ownAccountQuery.queryKey });
          }}
        />
      )}
    </Card>
  );
}

function UnlinkDialog({
  identity,
  onClose,
  onDone,
}: {
  identity: OwnIdentity;
  onClose: () => void;
  onDone: () => void;
}) {
  const { t } = useTranslation();
  const name = providerName(identity.provider);
  const unlinking = useMutation({ mutationFn: () => unlinkIdentity(identity.identity), onSuccess: onDone });
  return (
    <ConfirmDialog
      open
      onOpenChange={onClose}
      title={t('Délier {{name}} ?', { name })}
      description={t('Vous ne pourrez plus vous connecter avec {{name}}. Vous pourrez le lier à nouveau.', { name })}
      confirmLabel={t('Délier')}
      pending={unlinking.isPending}
      error={
        unlinking.isError ? messageOf(unlinking.error, t('Le compte n’a pas pu être délié. Réessayez.')) : undefined
      }
      onConfirm={() => unlinking.mutate()}
    />
  );
}
