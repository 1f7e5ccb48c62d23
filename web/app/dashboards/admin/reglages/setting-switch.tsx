import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { messageOf } from '#api/transport/api-error';
import { Checkbox } from '#ui/checkbox';
import { Notice } from '#ui/notice';
import { useToast } from '#ui/toast';
import { SettingCard } from './setting-card.tsx';

interface SettingSwitchProps {
  title: string;
  label: string;
  description: string;
  isOn: boolean;
  disabled?: boolean;
  /** Gives the words to say, and true where the change waits for another admin. */
  save: (isOn: boolean) => Promise<{ message: string; waits?: boolean | undefined }>;
}

/** A setting that is in force as soon as it is ticked, and unticked again where the server refuses. */
export function SettingSwitch({ title, label, description, isOn, disabled = false, save }: SettingSwitchProps) {
  const { t } = useTranslation();
  const toast = useToast();
  const [asked, setAsked] = useState<boolean>();
  const change = useMutation({
    mutationFn: save,
    onSuccess: ({ message, waits }) => {
      toast.success(message);
      // What waits for another admin is not in force.
      if (waits === true) setAsked(undefined);
    },
    onError: () => setAsked(undefined),
  });
  return (
    <SettingCard title={title}>
      {change.isError && (
        <Notice tone="error">{messageOf(change.error, t('Le réglage n’a pas pu être enregistré.'))}</Notice>
      )}
      <Checkbox
        label={label}
        description={description}
        checked={asked ?? isOn}
        aria-busy={change.isPending}
        disabled={disabled}
        onChange={(event) => {
          if (change.isPending) return;
          setAsked(event.target.checked);
          change.mutate(event.target.checked);
        }}
      />
    </SettingCard>
  );
}
