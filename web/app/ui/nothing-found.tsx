import { SearchX } from 'lucide-react';
import { Button } from './button.tsx';
import { EmptyState } from './empty-state.tsx';

export interface NothingFoundProps {
  title?: string | undefined;
  /** Search or filters that nothing corresponds to. */
  description: string;
  clearLabel?: string | undefined;
  /** The way back to the whole list. */
  onClear?: (() => void) | undefined;
}

/** The search or the filters leave nothing of a list (NV-08): never looks like one that is empty, or that could not be read. */
export function NothingFound(props: NothingFoundProps) {
  const { title = 'Aucun résultat', description, clearLabel = 'Tout effacer', onClear } = props;
  return (
    <EmptyState
      icon={<SearchX aria-hidden />}
      title={title}
      description={description}
      action={onClear && <Button onClick={onClear}>{clearLabel}</Button>}
    />
  );
}
