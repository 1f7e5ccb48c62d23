/** A device as its owner would call it: « Firefox sur Windows », and whether one holds it in the hand. */
export interface Device {
  name: string;
  isHandheld: boolean;
}

/** A browser's user agent in words. The order matters: most browsers also claim to be others. */
export function deviceOf(userAgent: string | null): Device {
  const text = userAgent ?? '';
  const browser = browsers.find(([sign]) => sign.test(text))?.[1];
  const system = systems.find(([sign]) => sign.test(text))?.[1];
  const isHandheld = /iPhone|iPad|Android|Mobile/u.test(text);
  if (browser && system) return { name: `${browser} sur ${system}`, isHandheld };
  return { name: browser ?? system ?? 'Appareil inconnu', isHandheld };
}

const browsers: readonly (readonly [RegExp, string])[] = [
  [/Edg(?:e|A|iOS)?\//u, 'Edge'],
  [/OPR\/|Opera/u, 'Opera'],
  [/SamsungBrowser\//u, 'Samsung Internet'],
  [/Vivaldi\//u, 'Vivaldi'],
  [/Firefox\/|FxiOS\//u, 'Firefox'],
  [/Chrome\/|CriOS\/|Chromium\//u, 'Chrome'],
  [/Safari\//u, 'Safari'],
];

const systems: readonly (readonly [RegExp, string])[] = [
  [/iPhone/u, 'iPhone'],
  [/iPad/u, 'iPad'],
  [/Android/u, 'Android'],
  [/Windows/u, 'Windows'],
  [/Macintosh|Mac OS X/u, 'Mac'],
  [/CrOS/u, 'ChromeOS'],
  [/Linux/u, 'Linux'],
];
