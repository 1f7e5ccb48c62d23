import { zodResolver } from '@hookform/resolvers/zod';
import { brandColorDefault } from '@parrain/domain/brand-color';
import { companyNameForm } from '@parrain/domain/forms/company-name';
import { logoIssue, logoTypes } from '@parrain/domain/forms/logo';
import { companyNameUpdateFailed, logoUploadFailed, settingsSaved } from '@parrain/domain/messages';
import { useMutation } from '@tanstack/react-query';
import { useEffect, useState, type FormEvent, type ReactNode } from 'react';
import { useForm, useWatch } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { defaultCompanyName, type CompanySettings } from '#api/company/company-settings';
import { updateCompanyColor } from '#api/company/update-company-color';
import { updateCompanyName } from '#api/company/update-company-name';
import { uploadLogo } from '#api/company/upload-logo';
import { ApiError, messageOf, reasonOf } from '#api/transport/api-error';
import { Button } from '#ui/button';
import { Field } from '#ui/field';
import { FileInput } from '#ui/file-input';
import { Notice } from '#ui/notice';
import { TextInput } from '#ui/text-input';
import { useToast } from '#ui/toast';
import { HeaderPreview } from './header-preview.tsx';

interface NameFormProps {
  settings: CompanySettings;
  saving: boolean;
  onSaving: (saving: boolean) => void;
  onSaved: () => void;
  /** Stands around its button, in the first steps: the name is typed anew there, where nobody has given one yet (UI-07). */
  foot?: ((action: ReactNode) => ReactNode) | undefined;
}

/** AD-11: the company's name, its logo and the color of its mails. */
export function NameForm({ settings: now, saving, onSaving, onSaved, foot }: NameFormProps) {
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
    defaultValues: { company_name: foot && settings.companyName === defaultCompanyName ? '' : settings.companyName },
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

  const action = (
    <Button type="submit" size={foot ? 'md' : 'sm'} variant="primary" className="self-start" pending={saving}>
      {foot ? t('Enregistrer et continuer') : t('Enregistrer')}
    </Button>
  );
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
        <HeaderPreview name={typedName?.trim() || settings.companyName} url={logo?.previewUrl ?? settings.logoUrl} />
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
      {foot ? foot(action) : action}
    </form>
  );
}

function isChanged(error: unknown): error is ApiError {
  return error instanceof ApiError && error.code === 'changed_meanwhile';
}

/** Message on what somebody else wrote meanwhile, else the reason of the refusal. */
function changeOf(error: unknown): string {
  return (isChanged(error) ? error.issues[0]?.message : undefined) ?? reasonOf(error);
}
