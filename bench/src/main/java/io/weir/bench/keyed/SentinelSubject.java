package io.weir.bench.keyed;

import com.alibaba.csp.sentinel.Entry;
import com.alibaba.csp.sentinel.SphU;
import com.alibaba.csp.sentinel.slots.block.BlockException;
import com.alibaba.csp.sentinel.slots.block.RuleConstant;
import com.alibaba.csp.sentinel.slots.block.flow.FlowRule;
import com.alibaba.csp.sentinel.slots.block.flow.FlowRuleManager;
import io.weir.bench.run.Allowance;
import java.util.List;

/**
 * Sentinel with one flow rule (QPS) on the key as resource. It checks at most 6,000 resources and
 * admits the rest unchecked, so it is left out of the runs with many keys.
 */
final class SentinelSubject implements Subject {
  SentinelSubject(Allowance allowance, String key) {
    FlowRule rule = new FlowRule(key);
    rule.setGrade(RuleConstant.FLOW_GRADE_QPS);
    rule.setCount(allowance.refuses() ? 0 : 1e9);
    FlowRuleManager.loadRules(List.of(rule));
  }

  @Override
  public boolean tryAcquire(String key) {
    try (Entry entry = SphU.entry(key)) {
      return entry != null;
    } catch (BlockException e) {
      return false;
    }
  }
}
