import { zodResolver } from '@hookform/resolvers/zod';
import { callChoiceLabel, callChoiceText } from '@parrain/domain/call-consent';
import { dayOf } from '@parrain/domain/date';
import { followUpForm } from '@parrain/domain/forms/follow-up';
import { isEditableByCommercial, isOpen, referrerName } from '@parrain/domain/sale';
import { useMutation, useQuery } from '@tanstack/react-query';
import { SquarePen } from 'lucide-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useForm } from 'react-hook-form';
import { companySettings } from '#api/company/company-settings';
import { keepFollowUp } from '#api/sales/follow-up';
import { receivedReferralQuery } from '#api/sales/received-referrals';
import type { Referral } from '#api/sales/referral';
import { messageOf } from '#api/transport/api-error';
import { setServerIssues } from '#api/transport/form-issues';
import { useDraft } from '#api/transport/use-draft';
import { useEdit } from '#api/transport/use-edit';
import { Amount } from '#ui/amount';
import { Button } from '#ui/button';
import { DateText } from '#ui/date';
import { Facts } from '#ui/facts';
import { Field } from '#ui/field';
import { Notice } from '#ui/notice';
import { SidePanel } from '#ui/side-panel';
import { TextInput } from '#ui/text-input';
import { Textarea } from '#ui/textarea';
import { useToast } from '#ui/toast';
import { AbsentRecord } from '../../parts/absent-record.tsx';
import { referralReason, ReferralStatus } from '../../parts/referral-status.tsx';
import { TextBlock } from '../../parts/text-block.tsx';
import { useLast } from '../../parts/use-last.ts';
import { ReferralContact } from './referral-contact.tsx';

const contactLook = {
  group: 'flex min-w-0 flex-col gap-2 sm:max-lg:flex-row lg:gap-0.5 [&_svg]:text-encre-faint lg:[&_svg]:size-3.5',
  link: 'min-w-0 whitespace-normal! max-lg:h-auto max-lg:min-h-11 max-lg:px-3 max-lg:py-1.5 sm:max-lg:flex-1 lg:h-auto lg:min-h-6 lg:justify-start lg:border-0 lg:bg-transparent lg:px-0 lg:text-left lg:font-normal lg:hover:bg-transparent lg:hover:text-sapin lg:hover:underline',
  soft: 'text-sm max-lg:font-normal lg:text-encre-soft',
} as const;

export interface ReferralPanelProps {
  referralId: string | undefined;
  onClose: () => void;
  onUpdate: (referral: Referral) => void;
}

/** All about one referral, where a notice's mail leads too; with its follow-up (TM-05). */
export function ReferralPanel({ referralId, onClose, onUpdate }: ReferralPanelProps) {
  const { t } = useTranslation();
  const shownId = useLast(referralId);
  const found = useQuery({ ...receivedReferralQuery(shownId ?? ''), enabled: referralId !== undefined });
  const referral = found.data;
  return (
    <SidePanel
      open={referralId !== undefined}
      onOpenChange={onClose}
      title={referral?.referredContactName ?? t('Parrainage')}
      subtitle={referral && <ReferralStatus referral={referral} audience="commercial" />}
      footer={
        referral &&
        isEditableByCommercial(referral) && (
          <Button variant="primary" icon={<SquarePen />} onClick={() => onUpdate(referral)}>
            {t('Mettre à jour')}
          </Button>
        )
      }
    >
      {referral ? (
        <Detail referral={referral} />
      ) : (
        <AbsentRecord
          query={found}
          goneTitle={t('Ce parrainage n’est pas dans votre liste')}
          goneDescription={t('Il a été supprimé, ou il est suivi par quelqu’un d’autre.')}
          onClose={onClose}
          loading={t('Chargement du parrainage')}
          skeletons={['h-11 w-full', 'h-40 w-full', 'h-56 w-full']}
        />
      )}
    </SidePanel>
  );
}

function Detail({ referral }: { referral: Referral }) {
  const { t } = useTranslation();
  const reason = referralReason(referral, t);
  const settings = useQuery(companySettings);
  return (
    <div className="flex flex-col gap-7">
      <section className="flex flex-col gap-4">
        <ReferralContact
          referral={referral}
          isConsentRequired={settings.data?.requireCallConsent === true}
          look={contactLook}
        />
        {referral.newsAskedAt !== null && isOpen(referral) && (
          <Notice tone="warning" title={t('Le parrain demande des nouvelles')}>
            {t('Demandées le')} <DateText value={referral.newsAskedAt} />
            {t('. Chaque étape que vous notez lui est dite.')}
          </Notice>
        )}
        <Facts
          items={[
            { label: t('Parrain'), value: referrerName(referral) ?? t('Aucun') },
            ...(referral.referredContactPhone === null && referral.callAnswer === null
              ? []
              : [
                  {
                    label: t(callChoiceLabel(referral.callAnswer)),
                    value: t(callChoiceText(referral.callAnswer)),
                  },
                ]),
            { label: t('Reçu le'), value: <DateText value={referral.createdAt} withTime /> },
            ...(referral.contractAmount === null
              ? []
              : [{ label: t('Montant du contrat'), value: <Amount cents={referral.contractAmount} /> }]),
          ]}
        />
        <TextBlock label={reason?.label ?? ''} text={reason?.text ?? null} />
        <TextBlock label={t('Message du parrain')} text={referral.personalMessage} />
        <TextBlock label={t('Contrat')} text={referral.contractDescription} />
        <TextBlock label={t('Notes, que le parrain peut lire')} text={referral.commercialNotes} />
      </section>
      <FollowUpForm key={referral.id} referral={referral} />
    </div>
  );
}

/** A day to call back and a note: the commercial's and the company's, never the referrer's. */
function FollowUpForm({ referral }: { referral: Referral }) {
  const { t } = useTranslation();
  const toast = useToast();
  const { followUp } = referral;
  const [opened] = useState({
    sale_id: referral.id,
    private_note: followUp?.note ?? '',
    call_back_on: followUp?.callBackOn ?? '',
  });
  const form = useForm({ resolver: zodResolver(followUpForm), mode: 'onTouched', defaultValues: opened });
  const edit = useEdit(form, opened);
  useDraft(form, `follow-up/${referral.id}`);
  const keep = useMutation({
    mutationFn: () => keepFollowUp(referral.id, edit.changes()),
    onSuccess: (message) => {
      toast.success(t(message));
      edit.saved();
    },
    onError: (error) =>
      edit.showChanged(error) || setServerIssues(error, ['private_note', 'call_back_on'], form.setError),
  });
  const { errors } = form.formState;
  return (
    <section className="border-t border-hairline pt-5">
      <h3 className="text-lg">{t('Votre suivi')}</h3>
      <p className="mt-0.5 text-sm text-encre-soft">
        {t('Pour vous et votre entreprise : le parrain ne lit ni la date ni la note privée.')}
      </p>
      <form
        method="post"
        noValidate
        className="mt-4 flex flex-col gap-5"
        onSubmit={(event) => void form.handleSubmit(() => keep.mutate())(event)}
      >
        {keep.isError && (
          <Notice tone="error">{messageOf(keep.error, t('Le suivi n’a pas pu être enregistré. Réessayez.'))}</Notice>
        )}
        {isOpen(referral) && (
          <>
            <Field
              label={t('Relancer le')}
              optional
              hint={t('Vous êtes prévenu ce matin-là, et le parrainage est dans « À relancer ».')}
              error={errors.call_back_on?.message}
            >
              <TextInput type="date" min={inDays(0)} className="max-w-52" {...form.register('call_back_on')} />
            </Field>
            <div className="-mt-3 flex flex-wrap gap-2">
              {shortcuts.map(({ days, label }) => (
                <Button
                  key={days}
                  size="sm"
                  onClick={() => form.setValue('call_back_on', inDays(days), { shouldDirty: true })}
                >
                  {t(label)}
                </Button>
              ))}
            </div>
          </>
        )}
        <Field label={t('Note privée')} optional error={errors.private_note?.message}>
          <Textarea rows={4} {...form.register('private_note')} />
        </Field>
        <Button type="submit" className="self-start" pending={keep.isPending}>
          {t('Enregistrer le suivi')}
        </Button>
      </form>
    </section>
  );
}

/** The day in France in so many days. */
function inDays(days: number): string {
  return dayOf(new Date(Date.now() + days * 86_400_000));
}

const shortcuts = [
  { days: 1, label: 'Demain' },
  { days: 3, label: 'Dans 3 jours' },
  { days: 7, label: 'Dans une semaine' },
] as const;
