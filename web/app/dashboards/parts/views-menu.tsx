import { zodResolver } from '@hookform/resolvers/zod';
import { listViewNameForm, viewNameTaken } from '@parrain/domain/forms/list-view';
import { viewNameLengthMax } from '@parrain/domain/forms/limits';
import { useMutation, useQuery } from '@tanstack/react-query';
import { Bookmark, BookmarkPlus, Check, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { useForm, useWatch } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { deleteListView, listViewsQuery, saveListView, type ListView } from '#api/account/list-views';
import { messageOf } from '#api/transport/api-error';
import { queryClient } from '#api/transport/query-client';
import { Field } from '#ui/field';
import { FormDialog } from '#ui/form-dialog';
import { IconButton } from '#ui/icon-button';
import { Menu } from '#ui/menu';
import { useHiddenColumns } from '#ui/table-preferences';
import { TextInput } from '#ui/text-input';
import { useToast } from '#ui/toast';
import { allColumns, columnsKey, type ListState } from './use-list-state.ts';

type Settings = Readonly<Record<string, string>>;

export interface ViewsMenuProps {
  list: ListState;
  /** Names the list for assistive tools. */
  label: string;
  /** The name by which the list's table remembers its columns; undefined where it has none to leave out. */
  name?: string | undefined;
  /** The views that the product brings. */
  brought: readonly { name: string; settings: Settings }[];
}

/** NV-05: the views of a list, each an address: those that the product brings and one's own; and the list as it stands, to keep. */
export default function ViewsMenu({ list, label, name, brought }: ViewsMenuProps) {
  const { t } = useTranslation();
  const toast = useToast();
  const { data: savedViews = [] } = useQuery(listViewsQuery);
  const [remembered] = useHiddenColumns(name ?? '');
  const [isNaming, setIsNaming] = useState(false);
  const removal = useMutation({
    mutationFn: deleteListView,
    onSuccess: () => toast.success(t('Vue supprimée')),
    onError: (error) => toast.error(t('La vue n’a pas été supprimée'), { description: messageOf(error, '') }),
  });
  const hidden = [...(list.hiddenColumns?.ids ?? remembered)].toSorted().join(' ') || allColumns;
  const current: Settings = name === undefined ? list.settings : { ...list.settings, [columnsKey]: hidden };
  const own = savedViews.filter((view) => view.list === list.sectionId);
  const shown = own.find((view) => isSame(current, view.settings));
  const item = (id: string, text: string, settings: Settings, isShown: boolean) => ({
    id,
    label: text,
    icon: isShown ? (
      <Check aria-hidden className="text-sapin" />
    ) : (
      <Bookmark aria-hidden className="text-encre-faint" />
    ),
    onSelect: () => list.openSettings(settings),
  });
  return (
    <>
      <Menu
        trigger={<IconButton label={t('Vues : {{label}}', { label })} icon={<Bookmark />} className="max-sm:size-11" />}
        items={[
          ...brought.map((view) =>
            item(`brought-${view.name}`, view.name, view.settings, isSame(list.settings, view.settings)),
          ),
          ...own.map((view) => item(view.id, view.name, view.settings, view === shown)),
          shown
            ? {
                id: 'delete',
                label: t('Supprimer « {{name}} »', { name: shown.name }),
                icon: <Trash2 aria-hidden />,
                tone: 'danger' as const,
                onSelect: () => removal.mutate(shown.id),
              }
            : {
                id: 'keep',
                label: t('Garder cette vue…'),
                icon: <BookmarkPlus aria-hidden />,
                onSelect: () => setIsNaming(true),
              },
        ]}
      />
      {isNaming && (
        <NameDialog
          own={own}
          onClose={() => setIsNaming(false)}
          onSave={(viewName, replaces) =>
            saveListView({ list: list.sectionId, name: viewName, settings: current }, replaces)
          }
        />
      )}
    </>
  );
}

interface NameDialogProps {
  own: readonly ListView[];
  onSave: (name: string, replaces: string | null) => Promise<void>;
  onClose: () => void;
}

function NameDialog({ own, onSave, onClose }: NameDialogProps) {
  const { t } = useTranslation();
  const toast = useToast();
  const form = useForm({ resolver: zodResolver(listViewNameForm), mode: 'onTouched', defaultValues: { name: '' } });
  const named = (name: string) => own.find((view) => view.name === name.trim());
  const saving = useMutation({
    mutationFn: (name: string) => onSave(name, named(name)?.id ?? null),
    onSuccess: () => {
      toast.success(t('Vue gardée'), { description: form.getValues('name') ?? '' });
      onClose();
    },
    // Another window kept a view of that name: the list says so, and the button « Remplacer ».
    onError: () => void queryClient.invalidateQueries(listViewsQuery),
  });
  const isTaken = named(useWatch({ control: form.control, name: 'name' }) ?? '') !== undefined;
  return (
    <FormDialog
      title={t('Garder cette vue')}
      description={t('Ses filtres, son tri et ses colonnes, pour vous seul.')}
      onClose={onClose}
      action={isTaken ? t('Remplacer') : t('Garder')}
      pending={saving.isPending}
      onSubmit={form.handleSubmit(({ name }) => saving.mutate(name))}
      failure={saving.isError ? messageOf(saving.error, t('La vue n’a pas été gardée. Réessayez.')) : undefined}
    >
      <Field
        label={t('Nom de la vue')}
        hint={isTaken ? t(viewNameTaken) : undefined}
        error={form.formState.errors.name?.message}
      >
        <TextInput maxLength={viewNameLengthMax} autoComplete="off" {...form.register('name')} />
      </Field>
    </FormDialog>
  );
}

/** The same settings, in whatever order they came. */
function isSame(one: Settings, other: Settings): boolean {
  const keys = Object.keys(one);
  return keys.length === Object.keys(other).length && keys.every((key) => one[key] === other[key]);
}
