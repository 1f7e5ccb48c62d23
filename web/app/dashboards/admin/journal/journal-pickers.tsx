import { roleLabels } from '@parrain/domain/role';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { namesQuery } from '#api/people/names';
import { networkSearchQuery } from '#api/people/network';
import { peopleSearchQuery, subjectNameQuery } from '#api/company/audit-people';
import { Combobox } from '#ui/combobox';

export interface SubjectPickerProps {
  aboutId: string | undefined;
  onChange: (id: string | undefined) => void;
  className?: string | undefined;
}

/** Searches the journal: the person or the contract that the entries are about. */
export function SubjectPicker({ aboutId, onChange, className }: SubjectPickerProps) {
  const { t } = useTranslation();
  const [text, setText] = useState('');
  const typed = text.trim();
  const { data, isLoading, isPlaceholderData } = useQuery({
    ...networkSearchQuery(typed),
    placeholderData: keepPreviousData,
  });
  const finds = typed === '' ? [] : (data ?? []);
  const kinds = { commercial: t('Commercial'), client: t('Client'), referral: t('Contrat') };
  const { data: name } = useQuery(subjectNameQuery(aboutId));
  return (
    <Combobox
      size="sm"
      clearable
      label={t('Rechercher une personne ou un contrat')}
      placeholder={t('Personne ou contrat')}
      searchLabel={t('Nom ou e-mail')}
      emptyText={typed === '' ? t('Tapez un nom ou un e-mail') : t('Personne trouvé')}
      className={className}
      options={finds.map((find) => ({
        value: find.id,
        label: find.name,
        description: [kinds[find.kind], find.detail].filter((part) => part !== null).join(' · '),
      }))}
      value={aboutId === undefined ? null : { value: aboutId, label: name ?? '…' }}
      loading={isLoading || isPlaceholderData}
      onSearchChange={setText}
      onValueChange={(option) => onChange(option?.value)}
    />
  );
}

export interface AuthorPickerProps {
  actorId: string | undefined;
  onChange: (id: string | undefined) => void;
  className?: string | undefined;
}

/** Picker of the acts' author: the admins at once, everybody else by their name. */
export function AuthorPicker({ actorId, onChange, className }: AuthorPickerProps) {
  const { t } = useTranslation();
  const [text, setText] = useState('');
  const [isNear, setIsNear] = useState(false);
  const { data, isLoading, isPlaceholderData } = useQuery({
    ...peopleSearchQuery(text.trim()),
    placeholderData: keepPreviousData,
    // Most who see the journal never open it.
    enabled: isNear,
  });
  const { data: names } = useQuery({ ...namesQuery([actorId ?? null]), enabled: actorId !== undefined });
  return (
    <Combobox
      size="sm"
      clearable
      label={t('Filtrer par auteur')}
      placeholder={t('Tous les auteurs')}
      searchLabel={t('Nom ou e-mail')}
      emptyText={t('Personne trouvé')}
      className={className}
      options={(data ?? []).map((person) => ({
        value: person.id,
        label: person.name,
        description: `${t(roleLabels[person.role])} · ${person.email}`,
      }))}
      value={
        actorId === undefined
          ? null
          : { value: actorId, label: names ? (names.get(actorId) ?? t('Compte supprimé')) : '…' }
      }
      loading={isLoading || isPlaceholderData}
      onSearchChange={setText}
      onNear={() => setIsNear(true)}
      onValueChange={(option) => onChange(option?.value)}
    />
  );
}
