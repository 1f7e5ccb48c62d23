import { Monitor, Moon, Sun } from 'lucide-react';
import { useState } from 'react';
import { RadioGroup } from './radio-group.tsx';

export type Theme = 'system' | 'light' | 'dark';

/** Storage key of the choice; the inline script of the document reads the same key before the first paint. */
const themeStorageKey = 'theme';

/** System, clair or sombre, kept in this browser. */
export function ThemeSwitch() {
  const [theme, setTheme] = useState<Theme>(storedTheme);
  return (
    <RadioGroup<Theme>
      legend="Apparence"
      legendHidden
      look="segmented"
      value={theme}
      onValueChange={(next) => {
        setTheme(next);
        applyTheme(next);
      }}
      options={[
        { value: 'system', label: 'Système', iconOnly: true, icon: <Monitor aria-hidden /> },
        { value: 'light', label: 'Clair', iconOnly: true, icon: <Sun aria-hidden /> },
        { value: 'dark', label: 'Sombre', iconOnly: true, icon: <Moon aria-hidden /> },
      ]}
    />
  );
}

/** Sets the theme of the document and keeps it. */
function applyTheme(theme: Theme): void {
  if (theme === 'system') delete document.documentElement.dataset['theme'];
  else document.documentElement.dataset['theme'] = theme;
  try {
    if (theme === 'system') localStorage.removeItem(themeStorageKey);
    else localStorage.setItem(themeStorageKey, theme);
  } catch {
    // Storage is closed (private browsing): the choice holds for this page.
  }
}

function storedTheme(): Theme {
  const theme = typeof document === 'undefined' ? undefined : document.documentElement.dataset['theme'];
  return theme === 'light' || theme === 'dark' ? theme : 'system';
}
