import { LayoutGrid, List } from 'lucide-react';
import { RadioGroup } from './radio-group.tsx';
import type { Layout } from './table-preferences.tsx';

/** « Cartes · Liste » (DF-05). */
export default function LayoutChoice(props: { label: string; layout: Layout; onChange: (layout: Layout) => void }) {
  return (
    <RadioGroup<Layout>
      legend={`Présentation : ${props.label}`}
      legendHidden
      look="segmented"
      value={props.layout}
      onValueChange={props.onChange}
      options={[
        { value: 'cards', label: 'Cartes', iconOnly: true, icon: <LayoutGrid aria-hidden /> },
        { value: 'table', label: 'Liste', iconOnly: true, icon: <List aria-hidden /> },
      ]}
    />
  );
}
