import { Tabs as Base } from '@base-ui/react/tabs';
import type { ReactNode } from 'react';

export interface TabItem<Value extends string> {
  value: Value;
  label: string;
  count?: number | undefined;
  content: ReactNode;
}

export interface TabsProps<Value extends string> {
  /** Names the row of tabs for assistive tools. */
  label: string;
  items: readonly TabItem<Value>[];
  value: Value;
  onValueChange: (value: Value) => void;
}

/** Views of one block, side by side. Arrows move between the tabs. (Sections of a dashboard are the side menu's.) */
export function Tabs<Value extends string>({ label, items, value, onValueChange }: TabsProps<Value>) {
  return (
    <Base.Root value={value} onValueChange={(next: Value) => onValueChange(next)}>
      <Base.List aria-label={label} className="relative flex gap-1 overflow-x-auto border-b border-hairline">
        {items.map((item) => (
          <Base.Tab
            key={item.value}
            value={item.value}
            className="tap-target flex h-10 shrink-0 items-center gap-2 px-3 text-base font-medium text-encre-soft transition-colors outline-offset-[-2px] hover:text-encre data-active:text-encre"
          >
            {item.label}
            {item.count !== undefined && (
              <span className="figures rounded-full bg-well px-1.5 text-xs text-encre-soft">{item.count}</span>
            )}
          </Base.Tab>
        ))}
        <Base.Indicator className="absolute bottom-0 left-0 h-0.5 w-(--active-tab-width) translate-x-(--active-tab-left) bg-sapin transition-[translate,width] duration-160 ease-out" />
      </Base.List>
      {items.map((item) => (
        <Base.Panel key={item.value} value={item.value} className="pt-4 outline-offset-4">
          {item.content}
        </Base.Panel>
      ))}
    </Base.Root>
  );
}
