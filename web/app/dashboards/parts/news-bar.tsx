import { lazyPart } from '#ui/lazy-part';

const NewsButton = lazyPart(() => import('./news-button.tsx'));

export interface NewsBarProps {
  count: number;
  onShow: () => void;
}

/** RT-01: « 3 nouveautés – Actualiser », above a list whose rows stay in place until then. */
export function NewsBar(props: NewsBarProps) {
  return (
    <div role="status" className="not-empty:mb-4">
      {props.count > 0 && <NewsButton {...props} />}
    </div>
  );
}
