import type { ViewsMenuProps } from './views-menu.tsx';
import { lazyPart } from '#ui/lazy-part';

const ViewsMenu = lazyPart(() => import('./views-menu.tsx'), <span className="size-9" />);

/** The menu of a list's views (NV-05): its code comes after the rows. */
export function Views(props: ViewsMenuProps) {
  return <ViewsMenu {...props} />;
}
