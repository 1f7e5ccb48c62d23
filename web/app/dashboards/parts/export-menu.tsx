import { exportedLists, type ExportedListName, type ExportFormat } from '@parrain/domain/exports';
import { Download, FileSpreadsheet, FileText, LoaderCircle, X } from 'lucide-react';
import { useEffect, useMemo, useRef, useState, type ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { exportList } from '#api/company/export-list';
import { messageOf } from '#api/transport/api-error';
import { Button } from '#ui/button';
import { Menu } from '#ui/menu';
import { useToast } from '#ui/toast';
import { useReadyAction } from '../shell/actions.tsx';
import { exportAction } from '../shell/spots.ts';
import { saveFile } from './save-file.ts';

export interface ExportMenuProps {
  list: ExportedListName;
  /** The page on screen; undefined while loading. The whole list behind it is exported, with its filters and its order. */
  page: { query: string } | undefined;
  /** The list's title on screen, where another list of the screen is of the same kind. */
  title?: string | undefined;
}

/** EX-01: « Exporter » of a list's toolbar: the list on screen, whole, as CSV or Excel; how far it is, and a way to stop. */
export function ExportMenu({ list, page, title }: ExportMenuProps) {
  const { t } = useTranslation();
  const name = title ?? t(exportedLists[list]);
  const toast = useToast();
  const [share, setShare] = useState<number>();
  const running = useRef<AbortController>(undefined);
  useEffect(() => () => running.current?.abort(), []);
  const start = async (query: string, format: ExportFormat) => {
    const controller = new AbortController();
    running.current = controller;
    setShare(0);
    try {
      const file = await exportList({ list, query, format, onProgress: setShare, signal: controller.signal });
      saveFile(file);
      toast.success(t('« {{title}} » est exporté', { title: name }), { description: file.name });
    } catch (error) {
      if (!controller.signal.aborted) toast.error(t('L’export n’a pas abouti'), { description: messageOf(error, '') });
    } finally {
      if (!controller.signal.aborted) setShare(undefined);
    }
  };
  const stop = () => {
    running.current?.abort();
    setShare(undefined);
  };
  // UI-13: the palette exports from anywhere, as a workbook.
  const action = useMemo(() => ({ ...exportAction(list, name), icon: <Download aria-hidden /> }), [list, name]);
  useReadyAction(action, () => page && void start(page.query, 'xlsx'), page === undefined || share !== undefined);
  if (share !== undefined) {
    const percent = Math.round(share * 100);
    return (
      <div className="flex items-center gap-1">
        <div
          role="progressbar"
          aria-label={t('Export en cours')}
          aria-valuenow={percent}
          className="relative flex h-8 items-center gap-2 overflow-clip rounded-field border border-edge/60 bg-sheet px-3 text-sm font-medium"
        >
          <span
            aria-hidden
            className="absolute inset-x-0 bottom-0 h-0.5 origin-left bg-sapin"
            style={{ scale: `${share} 1` }}
          />
          <LoaderCircle aria-hidden className="size-3.5 animate-spin" />
          <span className="tabular-digits">{t('{{percent}} %', { percent })}</span>
        </div>
        <Button size="sm" variant="quiet" icon={<X aria-hidden />} onClick={stop}>
          {t('Arrêter l’export')}
        </Button>
      </div>
    );
  }
  const item = (format: ExportFormat, label: string, icon: ReactNode) => ({
    id: format,
    label,
    icon,
    onSelect: () => void (page && start(page.query, format)),
  });
  return (
    <Menu
      trigger={
        <Button
          size="sm"
          disabled={page === undefined}
          icon={<Download aria-hidden />}
          aria-label={t('Exporter : {{title}}', { title: name })}
        >
          {t('Exporter')}
        </Button>
      }
      items={[
        item('xlsx', t('Classeur Excel'), <FileSpreadsheet aria-hidden />),
        item('csv', t('Fichier CSV'), <FileText aria-hidden />),
      ]}
    />
  );
}
