import { createPortal } from 'react-dom';
import { useTranslation } from 'react-i18next';
import '../../parts/print-alone.css';
import './link-cards.css';

const CARDS = Array.from({ length: 8 }, (_, index) => index);

interface LinkCardsProps {
  /** Name of the referrer, as friends read it. */
  referrer: string;
  companyName: string;
  url: string;
  /** The QR code, as a picture's address. */
  qr: string;
}

/** CS-01: eight cards of 85 × 55 mm for paper alone, with the marks along which they are cut. */
export function LinkCards({ referrer, companyName, url, qr }: LinkCardsProps) {
  const { t } = useTranslation();
  return createPortal(
    <div data-print className="link-cards">
      {CARDS.map((card) => (
        <article key={card}>
          <div>
            <p>{t('{{name}} vous recommande', { name: referrer })}</p>
            <h2>{companyName}</h2>
            <p>{t('Scannez ce code, ou ouvrez :')}</p>
            <p className="address">{url.replace(/^https?:\/\//u, '')}</p>
          </div>
          <img src={qr} alt="" />
        </article>
      ))}
    </div>,
    document.body,
  );
}
