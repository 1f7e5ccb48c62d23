import { logoIssue, logoTypes } from '@parrain/domain/forms/logo';
import { settingsSaved } from '@parrain/domain/messages';
import { useMutation } from '@tanstack/react-query';
import { ImagePlus } from 'lucide-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { messageOf } from '#api/transport/api-error';
import { removePagePicture, uploadPagePicture } from '#api/company/public-page';
import { Button } from '#ui/button';
import { Field, FieldError } from '#ui/field';
import { FileInput } from '#ui/file-input';
import { useToast } from '#ui/toast';

/** UI-03: the picture of the public page, kept as soon as it is chosen. */
export function PagePictureSetting({ url }: { url: string | null }) {
  const { t } = useTranslation();
  const toast = useToast();
  const [issue, setIssue] = useState<string>();
  // A file is chosen now and then: its field is opened for that.
  const [isChoosing, setChoosing] = useState(false);
  const onSuccess = () => {
    setIssue(undefined);
    setChoosing(false);
    toast.success(t(settingsSaved));
  };
  const onError = (error: unknown) => setIssue(messageOf(error, t('L’image n’a pas pu être enregistrée. Réessayez.')));
  const upload = useMutation({ mutationFn: uploadPagePicture, onSuccess, onError });
  const removal = useMutation({ mutationFn: removePagePicture, onSuccess, onError });
  return (
    <div className="flex flex-col gap-3">
      {url !== null && (
        <img
          src={url}
          alt={t('Image de la page publique')}
          className="aspect-[1200/630] w-full rounded-field border border-hairline object-cover"
        />
      )}
      {isChoosing ? (
        <Field
          label={t('Image')}
          optional
          hint={t('Une photo en largeur : votre équipe, un chantier. JPG, PNG, WEBP ou SVG, 5 Mo au maximum.')}
          error={issue}
        >
          <FileInput
            accept={logoTypes.join(',')}
            disabled={upload.isPending}
            fileName={upload.isPending ? upload.variables.name : undefined}
            onFile={(file) => {
              const wrong = logoIssue(file);
              setIssue(wrong === null ? undefined : t(wrong));
              if (wrong === null) upload.mutate(file);
            }}
          />
        </Field>
      ) : (
        <div className="flex flex-wrap gap-2">
          <Button size="sm" icon={<ImagePlus />} onClick={() => setChoosing(true)}>
            {url === null ? t('Ajouter une image') : t('Changer l’image')}
          </Button>
          {url !== null && (
            <Button size="sm" pending={removal.isPending} onClick={() => removal.mutate()}>
              {t('Retirer l’image')}
            </Button>
          )}
        </div>
      )}
      {!isChoosing && <FieldError error={issue} />}
    </div>
  );
}
