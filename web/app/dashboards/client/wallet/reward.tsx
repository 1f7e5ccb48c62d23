import { rewardText } from '@parrain/domain/reward';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { clientRewardsQuery } from '#api/scales/client-rewards';

/** « Un ami signe : vous touchez 10 % de son contrat. », by the scales in force (UI-02). */
export default function Reward() {
  const { t } = useTranslation();
  const { data } = useQuery(clientRewardsQuery);
  const gain = data && rewardText(data);
  // Its line is kept free while it is read.
  if (data === undefined) return '\u00a0';
  return gain ? t('Un ami signe : vous touchez {{gain}}.', { gain }) : t('Un ami signe : vous touchez une commission.');
}
