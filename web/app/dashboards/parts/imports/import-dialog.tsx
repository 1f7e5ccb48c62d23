import { importFieldsOf, type ImportKind } from '@parrain/domain/forms/import';
import { missingColumns, type ImportColumns } from '@parrain/domain/forms/import-file';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { signInWaysQuery } from '#api/account/sign-in-ways';
import {
  checkImport,
  confirmImport,
  readImportFile,
  type ImportChoice,
  type ReadFile,
  type ReadingChoice,
} from '#api/people/imports';
import { reasonOf } from '#api/transport/api-error';
import { Button } from '#ui/button';
import { Dialog } from '#ui/dialog';
import { Field } from '#ui/field';
import { FileInput } from '#ui/file-input';
import { Notice } from '#ui/notice';
import { countText } from '../count-text.ts';
import { ColumnsStep } from './columns-step.tsx';
import { importWords } from './import-words.ts';
import { PastImports } from './past-imports.tsx';
import { ReviewStep } from './review-step.tsx';

export interface ImportDialogProps {
  kind: ImportKind;
  /** True when imports of others are shown too. */
  isAdmin: boolean;
  /** Chooses whose clients become; a commercial's are their own. */
  commercial?: ((commercialId: string | null, onChange: (id: string | null) => void) => ReactNode) | undefined;
  onClose: () => void;
}

/** EX-04: a file, its columns, what it would become; then clients or referrals, which can be taken back from here. */
export default function ImportDialog({ kind, isAdmin, commercial, onClose }: ImportDialogProps) {
  const { t } = useTranslation();
  const { data: ways } = useQuery(signInWaysQuery);
  const words = importWords[kind];
  const [columns, setColumns] = useState<ImportColumns>([]);
  const [commercialId, setCommercialId] = useState<string | null>(null);
  const [source, setSource] = useState('');
  const [invites, setInvites] = useState(false);
  // Kept while it is read again: a choice that cannot be read leaves what was on screen.
  const [file, setFile] = useState<ReadFile & { how: ReadingChoice }>();
  const read = useMutation({
    mutationFn: ({ chosen, how }: { chosen: File; how: ReadingChoice }) => readImportFile(kind, chosen, how),
    onSuccess: (found, { how }) => {
      setFile({ ...found, how });
      setColumns(found.columns);
      setInvites(false);
    },
  });
  const check = useMutation({ mutationFn: checkImport });
  const confirm = useMutation({
    mutationFn: ({ choice, expected }: { choice: ImportChoice; expected: number }) =>
      confirmImport(choice, { invites, expected }),
  });
  const checked = check.data;
  const choice = { kind, importId: file?.id ?? '', columns, commercialId, source };
  const startAgain = () => {
    for (const step of [read, check, confirm]) step.reset();
    setFile(undefined);
  };
  const common = { open: true, onOpenChange: onClose, size: 'lg' as const, title: t(words.title) };

  if (confirm.data) {
    return (
      <Dialog
        {...common}
        footer={
          <>
            <Button onClick={startAgain}>{t('Importer un autre fichier')}</Button>
            <Button variant="primary" onClick={onClose}>
              {t('Terminer')}
            </Button>
          </>
        }
      >
        <div className="flex flex-col gap-5">
          <Notice tone="success" title={countText(confirm.data.written, t(words.written[0]), t(words.written[1]))}>
            {kind === 'referrals'
              ? t('Aucun e-mail n’est parti. Chaque filleul est dans la liste du commercial qui suit son parrain.')
              : ways?.sendsMail === false
                ? t('L’envoi d’e-mails n’est pas configuré : ils ne peuvent pas encore se connecter.')
                : invites
                  ? t('Leurs invitations partent peu à peu, chacune avec son mot de passe temporaire.')
                  : t('Aucun e-mail n’est parti. Chacun peut entrer par « Mot de passe oublié ».')}
          </Notice>
          <PastImports
            kind={kind}
            isNamed={isAdmin}
            onUndone={(id) => {
              if (id === confirm.data.id) startAgain();
            }}
          />
        </div>
      </Dialog>
    );
  }

  if (file && checked) {
    return (
      <Dialog
        {...common}
        description={file.name}
        footer={
          <>
            <Button disabled={confirm.isPending} onClick={() => check.reset()}>
              {t('Revoir les colonnes')}
            </Button>
            <Button
              variant="primary"
              disabled={checked.ready === 0}
              pending={confirm.isPending}
              onClick={() => confirm.mutate({ choice, expected: checked.ready })}
            >
              {t('Importer {{what}}', { what: countText(checked.ready, t(words.one), t(words.many)) })}
            </Button>
          </>
        }
      >
        <ReviewStep
          checked={checked}
          choice={choice}
          invites={invites}
          onInvitesChange={kind === 'referrals' || ways?.sendsMail === false ? undefined : setInvites}
          error={confirm.isError ? reasonOf(confirm.error) : undefined}
        />
      </Dialog>
    );
  }

  if (file) {
    const isComplete =
      missingColumns(importFieldsOf[kind], columns) === null &&
      !(columns.includes('reference') && source.trim() === '');
    return (
      <Dialog
        {...common}
        description={t('{{file}} : {{lines}}. Vérifiez ce que contient chaque colonne.', {
          file: file.name,
          lines: countText(file.lines, t('ligne'), t('lignes')),
        })}
        footer={
          <>
            <Button onClick={startAgain}>{t('Changer de fichier')}</Button>
            <Button
              variant="primary"
              disabled={!isComplete || read.isPending}
              pending={check.isPending}
              onClick={() => check.mutate(choice)}
            >
              {t('Vérifier le fichier')}
            </Button>
          </>
        }
      >
        <ColumnsStep
          kind={kind}
          file={file}
          columns={columns}
          onChange={setColumns}
          chosen={file.how}
          onChoose={(how) => {
            check.reset();
            if (read.variables) read.mutate({ chosen: read.variables.chosen, how });
          }}
          isReading={read.isPending}
          commercial={commercial?.(commercialId, setCommercialId)}
          source={source}
          onSourceChange={setSource}
          error={read.isError ? reasonOf(read.error) : check.isError ? reasonOf(check.error) : undefined}
        />
      </Dialog>
    );
  }

  return (
    <Dialog {...common} description={t(words.fileHint)}>
      <FileStep
        kind={kind}
        isAdmin={isAdmin}
        reading={read.isPending ? read.variables.chosen.name : undefined}
        error={read.isError ? reasonOf(read.error) : undefined}
        onFile={(chosen) => read.mutate({ chosen, how: {} })}
      />
    </Dialog>
  );
}

interface FileStepProps {
  kind: ImportKind;
  isAdmin: boolean;
  /** The name of the file that is being read. */
  reading: string | undefined;
  error: string | undefined;
  onFile: (file: File) => void;
}

function FileStep({ kind, isAdmin, reading, error, onFile }: FileStepProps) {
  const { t } = useTranslation();
  return (
    <div className="flex flex-col gap-5">
      <Field label={t('Fichier à importer')} labelHidden error={error}>
        <FileInput
          accept=".csv,.txt,.tsv,.xlsx,.xlsm,.ods"
          fileName={reading === undefined ? undefined : t('Lecture de {{file}}…', { file: reading })}
          disabled={reading !== undefined}
          onFile={onFile}
        />
      </Field>
      <p className="text-sm text-encre-soft">
        {t('Rien n’est enregistré avant votre confirmation, et un import peut être annulé.')}
      </p>
      <PastImports kind={kind} isNamed={isAdmin} />
    </div>
  );
}
