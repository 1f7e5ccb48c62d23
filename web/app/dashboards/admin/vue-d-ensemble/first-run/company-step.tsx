import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useSearchParams } from 'react-router';
import { companySettings } from '#api/company/company-settings';
import { Skeleton } from '#ui/skeleton';
import { NameForm } from '../../reglages/name-form.tsx';
import type { StepProps } from './first-run.tsx';

/** The company's name, logo and color (AD-11). */
export function CompanyStep({ foot, onDone }: StepProps) {
  const [saving, setSaving] = useState(false);
  const { data } = useQuery(companySettings);
  const [search] = useSearchParams();
  // « Paramètres » is this same form: one stands at a time.
  if (data === undefined || search.has('parametres')) return <Skeleton className="h-72 w-full" />;
  return <NameForm settings={data} saving={saving} onSaving={setSaving} onSaved={onDone} foot={foot} />;
}
