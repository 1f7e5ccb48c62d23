import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { commercialsQuery } from '#api/people/commercials';
import { namesQuery } from '#api/people/names';
import { firstPage } from '#api/transport/read-page';
import { Combobox } from '#ui/combobox';

export interface CommercialPickerProps {
  commercialId: string | null;
  onChange: (commercialId: string | null) => void;
  /** Only those who may receive clients and referrals. */
  activeOnly?: boolean | undefined;
  /** Leaves out the one who hands over. */
  exceptId?: string | undefined;
  placeholder?: string | undefined;
  label?: string | undefined;
  clearable?: boolean | undefined;
  size?: 'sm' | 'md' | undefined;
  className?: string | undefined;
}

/** Chooses a commercial among however many there are: found by name or e-mail, on the server. */
export function CommercialPicker({
  commercialId,
  onChange,
  activeOnly = false,
  exceptId,
  ...look
}: CommercialPickerProps) {
  const { t } = useTranslation();
  const [search, setSearch] = useState('');
  const [isNear, setIsNear] = useState(false);
  const { data, isLoading, isPlaceholderData } = useQuery({
    ...commercialsQuery({ search, page: firstPage, activeOnly }),
    // Most who see a list never open it.
    enabled: isNear,
  });
  const options = (data?.rows ?? [])
    .filter((commercial) => commercial.id !== exceptId)
    .map((commercial) => ({ value: commercial.id, label: commercial.fullName, description: commercial.email }));
  const listed = options.find((option) => option.value === commercialId);
  // The chosen one may be on none of the pages that were read.
  const { data: names } = useQuery({
    ...namesQuery([commercialId]),
    enabled: commercialId !== null && listed === undefined,
  });
  const value =
    commercialId === null ? null : (listed ?? { value: commercialId, label: names?.get(commercialId) ?? '…' });
  return (
    <Combobox
      {...look}
      options={options}
      value={value}
      onValueChange={(option) => onChange(option?.value ?? null)}
      onSearchChange={setSearch}
      onNear={() => setIsNear(true)}
      loading={isLoading || isPlaceholderData}
      searchLabel={t('Nom ou e-mail')}
      emptyText={t('Aucun commercial trouvé')}
    />
  );
}
