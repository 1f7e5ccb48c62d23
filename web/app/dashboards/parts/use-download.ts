import { useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { messageOf } from '#api/transport/api-error';
import { useToast } from '#ui/toast';
import { saveFile } from './save-file.ts';

/** One file at a time, by a button of a list: which one is being made, how far it is, and how to begin. It stops with the screen. */
export function useDownload() {
  const { t } = useTranslation();
  const toast = useToast();
  const [pending, setPending] = useState<string>();
  const [percent, setPercent] = useState(0);
  const running = useRef<AbortController>(undefined);
  useEffect(() => () => running.current?.abort(), []);
  const start = async (
    key: string,
    download: (signal: AbortSignal, onProgress: (share: number) => void) => Promise<File>,
  ) => {
    if (pending !== undefined) return;
    const controller = new AbortController();
    running.current = controller;
    setPending(key);
    setPercent(0);
    try {
      const file = await download(controller.signal, (share) => setPercent(Math.round(share * 100)));
      saveFile(file);
      toast.success(t('Le fichier est prêt'), { description: file.name });
    } catch (error) {
      if (!controller.signal.aborted) {
        toast.error(t('Le fichier n’a pas pu être préparé'), { description: messageOf(error, '') });
      }
    } finally {
      if (!controller.signal.aborted) setPending(undefined);
    }
  };
  return { pending, percent, start };
}
