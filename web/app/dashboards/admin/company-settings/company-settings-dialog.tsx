import { zodResolver } from '@hookform/resolvers/zod';
import { brandColorDefault } from '@parrain/domain/brand-color';
import { companyNameForm } from '@parrain/domain/forms/company-name';
import { logoIssue, logoTypes } from '@parrain/domain/forms/logo';
import { companyNameUpdateFailed, logoUploadFailed, settingsSaved } from '@parrain/domain/messages';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useEffect, useState, type FormEvent, type ReactNode } from 'react';
import { useForm, useWatch } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { ApiError, messageOf, reasonOf } from '#api/transport/api-error';
import { companySettings, type CompanySettings } from '#api/company/company-settings';
import { publicPage, type PublicPage } from '#api/company/public-page';
import { updateCompanyColor } from '#api/company/update-company-color';
import { updateCompanyName } from '#api/company/update-company-name';
import { uploadLogo } from '#api/company/upload-logo';
import { Button } from '#ui/button';
import { Dialog } from '#ui/dialog';
import { ErrorState } from '#ui/error-state';
import { Field } from '#ui/field';
import { FileInput } from '#ui/file-input';
import { Notice } from '#ui/notice';
import { Skeleton } from '#ui/skeleton';
import { Sought } from '#ui/sought';
import { TextInput } from '#ui/text-input';
import { useToast } from '#ui/toast';
import { AdminSecurity } from './admin-security.tsx';
import { CallConsentSetting } from './call-consent-setting.tsx';
import { DataArchive } from './data-archive.tsx';
import { ContactRetentionSetting } from './contact-retention-setting.tsx';
import { FirstReferralSetting } from './first-referral-setting.tsx';
import { FollowUpSettings } from './follow-up-settings.tsx';
import { LegalNoticeSetting } from './legal-notice-setting.tsx';
import { NewClientsSetting } from './new-clients-setting.tsx';
import { PresentationSettings } from './presentation-settings.tsx';
import { RulesSetting } from './rules-setting.tsx';

export interface CompanySettingsDialogProps {
  onClose: () => void;
  /** The block that it was opened for, by the address: « donnees ». */
  sought?: string | null | undefined;
}

/** AD-11: the company's name and logo, and what it asks of its admins. */
export default function CompanySettingsDialog({ onClose, sought }: CompanySettingsDialogProps) {
  const { t } = useTranslation();
  const [saving, setSaving] = useState(false);
  const settings = useQuery(companySettings);
  const page = useQuery(publicPage);
  return (
    <Dialog
      open
      onOpenChange={() => !saving && onClose()}
      title={t('Paramètres de l’entreprise')}
      description={t('Ce que voient vos commerciaux et vos clients, et les règles de votre entreprise.')}
      size="sm"
    >
      {settings.data && page.data ? (
        <div className="flex flex-col gap-5">
          <Sought isSought={sought === 'nom'}>
            <SettingsForm settings={settings.data} saving={saving} onSaving={setSaving} onSaved={onClose} />
          </Sought>
          {blocks.map(([id, Block]) => (
            <Sought key={id} isSought={sought === id}>
              <Block settings={settings.data} page={page.data} />
            </Sought>
          ))}
        </div>
      ) : settings.isError || page.isError ? (
        <ErrorState
          onRetry={() => void Promise.all([settings.refetch(), page.refetch()])}
          pending={settings.isFetching || page.isFetching}
        />
      ) : (
        <div className="flex flex-col gap-4">
          <Skeleton className="h-11 w-full" />
          <Skeleton className="h-28 w-full" />
        </div>
      )}
    </Dialog>
  );
}

interface BlockProps {
  settings: CompanySettings;
  page: PublicPage;
}

/** The blocks under the name and the logo, each with the word of its address (`?parametres=…`). */
const blocks: readonly (readonly [id: string, Block: (props: BlockProps) => ReactNode])[] = [
  ['page', ({ page }) => <PresentationSettings page={page} />],
  ['mentions', () => <LegalNoticeSetting />],
  ['regles', () => <RulesSetting />],
  ['appels', ({ settings }) => <CallConsentSetting isRequired={settings.requireCallConsent} />],
  ['premier-parrain', ({ settings }) => <FirstReferralSetting months={settings.firstReferralMonths} />],
  ['contacts', ({ settings }) => <ContactRetentionSetting months={settings.contactMonths} />],
  ['nouveaux-clients', ({ settings }) => <NewClientsSetting settings={settings} />],
  ['relances', ({ settings }) => <FollowUpSettings settings={settings} />],
  ['securite', ({ settings }) => <AdminSecurity isRequired={settings.requireAdminTwoFactor} />],
  ['donnees', () => <DataArchive />],
];

interface SettingsFormProps {
  settings: CompanySettings;
  saving: boolean;
  onSaving: (saving: boolean) => void;
  onSaved: () => void;
}

function SettingsForm({ settings: now, saving, onSaving, onSaved }: SettingsFormProps) {
  const { t } = useTranslation();
  const toast = useToast();
  // As they were when the form opened: what somebody else changes meanwhile is not written over (DF-34).
  const [settings, setSettings] = useState(now);
  const [logo, setLogo] = useState<{ file: File; previewUrl: string }>();
  const [logoError, setLogoError] = useState<string>();
  const [color, setColor] = useState(settings.brandColor);
  const [failure, setFailure] = useState<{ title: string; reason: string }>();
  // An object URL is the browser's, and is given back to it.
  useEffect(() => () => URL.revokeObjectURL(logo?.previewUrl ?? ''), [logo]);
  const form = useForm({
    resolver: zodResolver(companyNameForm),
    // Not as the field is left: its error would push the button away from under the press that leaves it.
    mode: 'onSubmit',
    defaultValues: { company_name: settings.companyName },
  });
  const { errors } = form.formState;
  // V-07: a blank name is not saved, and keeps nothing else from being: the name in place stays.
  const submit = async (event: FormEvent<HTMLFormElement>) => {
    const isBlank = form.getValues('company_name')?.trim() === '';
    if (isBlank && logo) form.setValue('company_name', settings.companyName);
    await form.handleSubmit(save)(event);
  };
  const typedName = useWatch({ control: form.control, name: 'company_name' });
  const nameUpdate = useMutation({ mutationFn: updateCompanyName });
  const colorUpdate = useMutation({ mutationFn: updateCompanyColor });
  const logoUpload = useMutation({ mutationFn: uploadLogo });

  const save = async ({ companyName }: { companyName: string }) => {
    setFailure(undefined);
    onSaving(true);
    try {
      // The logo first: it alone may still be refused for what it holds.
      if (logo) {
        try {
          await logoUpload.mutateAsync(logo.file);
          setLogo(undefined);
        } catch (error) {
          setLogoError(messageOf(error, t(logoUploadFailed)));
          setFailure({ title: t(logoUploadFailed), reason: reasonOf(error) });
          return;
        }
      }
      if (companyName !== settings.companyName) {
        try {
          await nameUpdate.mutateAsync({ companyName, seen: settings.companyName });
        } catch (error) {
          if (isChanged(error)) setSettings({ ...settings, companyName: (error.issues[0]?.current ?? '') as string });
          setFailure({ title: t(companyNameUpdateFailed), reason: changeOf(error) });
          return;
        }
      }
      if (color !== settings.brandColor) {
        try {
          await colorUpdate.mutateAsync({ brandColor: color, seen: settings.brandColor });
        } catch (error) {
          if (isChanged(error))
            setSettings({ ...settings, brandColor: (error.issues[0]?.current ?? null) as string | null });
          setFailure({ title: t('La couleur n’a pas pu être enregistrée'), reason: changeOf(error) });
          return;
        }
      }
      toast.success(t(settingsSaved));
      onSaved();
    } finally {
      onSaving(false);
    }
  };

  return (
    <form method="post" noValidate onSubmit={(event) => void submit(event)} className="flex flex-col gap-5">
      {failure && (
        <Notice tone="error" title={failure.title}>
          {failure.reason}
        </Notice>
      )}
      <Field label={t('Nom de l’entreprise')} error={errors.company_name?.message}>
        <TextInput autoComplete="organization" {...form.register('company_name')} />
      </Field>
      <div className="flex flex-col gap-3">
        <LogoPreview name={typedName?.trim() || settings.companyName} url={logo?.previewUrl ?? settings.logoUrl} />
        <Field label={t('Logo')} optional hint={t('JPG, PNG, WEBP ou SVG, 5 Mo au maximum.')} error={logoError}>
          <FileInput
            accept={logoTypes.join(',')}
            fileName={logo?.file.name}
            onFile={(file) => {
              const issue = logoIssue(file);
              setLogoError(issue === null ? undefined : t(issue));
              setLogo(issue === null ? { file, previewUrl: URL.createObjectURL(file) } : undefined);
            }}
          />
        </Field>
      </div>
      <div className="flex flex-wrap items-end justify-between gap-3">
        <Field label={t('Couleur de vos e-mails')} hint={t('Du bandeau et des boutons.')}>
          <TextInput
            type="color"
            value={color ?? brandColorDefault}
            onChange={(event) => setColor(event.target.value)}
            className="max-w-20 cursor-pointer p-1"
          />
        </Field>
        {color !== null && (
          <Button size="sm" onClick={() => setColor(null)}>
            {t('Couleur d’origine')}
          </Button>
        )}
      </div>
      {/* Here, not at the dialog's foot: what stands under it is saved by buttons of its own. */}
      <Button type="submit" size="sm" variant="primary" className="self-start" pending={saving}>
        {t('Enregistrer')}
      </Button>
    </form>
  );
}

function isChanged(error: unknown): error is ApiError {
  return error instanceof ApiError && error.code === 'changed_meanwhile';
}

/** What somebody else wrote meanwhile, else the reason of the refusal. */
function changeOf(error: unknown): string {
  return (isChanged(error) ? error.issues[0]?.message : undefined) ?? reasonOf(error);
}

/** How the header will look: the chosen file before it is sent, else the logo in place. */
function LogoPreview({ name, url }: { name: string; url: string | null }) {
  const { t } = useTranslation();
  const [brokenUrl, setBrokenUrl] = useState<string>();
  return (
    <figure className="overflow-hidden rounded-field border border-hairline">
      <figcaption className="border-b border-hairline bg-papier px-3.5 py-1.5 text-sm text-encre-faint">
        {t('Aperçu de l’en-tête')}
      </figcaption>
      <div className="flex h-16 min-w-0 items-center gap-3 px-4">
        {url !== null && url !== brokenUrl && (
          <img
            src={url}
            alt={t('Logo')}
            onError={() => setBrokenUrl(url)}
            className="h-9 max-w-28 shrink-0 rounded-[6px] object-contain"
          />
        )}
        <p className="min-w-0 truncate font-heading text-lg/6 font-semibold tracking-tight">{name}</p>
      </div>
    </figure>
  );
}
