import { databaseCleaned } from '@parrain/domain/messages';
import { useEffect, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { useToast } from '#ui/toast';

const storageKey = 'parrain-cleaned';

/** Notes that the page about to reload comes after a clean-up. */
export function rememberCleaning(): void {
  try {
    sessionStorage.setItem(storageKey, 'yes');
  } catch {
    // Storage is closed (private browsing): the reloaded page says nothing, the lists speak for themselves.
  }
}

/** The reloaded page says that the test data is gone (E-04). */
export function useCleaningNotice(): void {
  const { t } = useTranslation();
  const toast = useToast();
  const hasRun = useRef(false);
  // The browser's storage, which alone crosses a reload, is outside React.
  useEffect(() => {
    if (hasRun.current) return;
    hasRun.current = true;
    try {
      if (sessionStorage.getItem(storageKey) === null) return;
      sessionStorage.removeItem(storageKey);
      toast.success(t(databaseCleaned));
    } catch {
      // Storage is closed: nothing was noted either.
    }
  }, [t, toast]);
}
